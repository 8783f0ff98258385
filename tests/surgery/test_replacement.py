import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.surgery import replacement
from tests.surgery import strange_networks


def test_convert_swaps_layers_and_copies_the_others():
    network = strange_networks.skips()
    x = np.random.default_rng(0).normal(size=(4, 6)).astype("float32")

    def swap(layer):
        if isinstance(layer, keras.layers.Dropout):
            return keras.layers.GaussianDropout(layer.rate)
        return None

    twin = replacement.convert(network, swap)
    np.testing.assert_allclose(twin(x), network(x), atol=1e-6)
    kinds = [type(layer).__name__ for layer in twin.layers]
    assert "GaussianDropout" in kinds and "Dropout" not in kinds
    twin.layers[1].kernel.assign_add(tf.ones_like(twin.layers[1].kernel))
    assert not np.allclose(twin(x), network(x))  # Copies, not the same weights.


def test_convert_reaches_into_nested_models():
    network = strange_networks.nested()
    x = np.random.default_rng(0).normal(size=(4, 6)).astype("float32")
    seen = []
    twin = replacement.convert(network, lambda layer: seen.append(layer.name))
    np.testing.assert_allclose(twin(x), network(x), atol=1e-6)
    assert any("dropout" in name for name in seen)


def test_convert_copies_the_weights_inside_of_layers():
    network = keras.Sequential([
        keras.Input((5, 2)), keras.layers.Bidirectional(keras.layers.GRU(3)),
        keras.layers.Dense(2)])
    x = np.random.default_rng(0).normal(size=(4, 5, 2)).astype("float32")
    twin = replacement.convert(network, lambda layer: None)
    np.testing.assert_allclose(twin(x), network(x), atol=1e-6)


def test_convert_copies_operations_between_layers():
    inputs = keras.Input((4,))
    first, second = keras.ops.split(keras.layers.Dense(4)(inputs), 2, axis=-1)
    network = keras.Model(inputs, first * keras.ops.relu(second))
    x = np.linspace(-1, 1, 8, dtype="float32").reshape(2, 4)
    np.testing.assert_allclose(replacement.convert(network, lambda layer: None)(x),
                               network(x))


def test_convert_refuses_a_subclassed_network():
    with pytest.raises(ValueError, match="subclassed"):
        replacement.convert(strange_networks.subclassed(), lambda layer: None)
