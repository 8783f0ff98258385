"""Replacement of layers, also inside of custom layers."""

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


def test_convert_replaces_layers_inside_of_custom_layers():
    network = strange_networks.transformer()
    x = np.random.default_rng(0).normal(size=(4, 5, 3)).astype("float32")

    def swap(layer):
        if type(layer) is keras.layers.Dropout:
            return keras.layers.GaussianDropout(layer.rate)
        return None

    twin = replacement.convert(network, swap)
    np.testing.assert_array_equal(twin(x), network(x))
    block = twin.layers[2].layer
    assert type(block.parts["drop"]) is keras.layers.GaussianDropout
    assert type(block.attention.layer._dropout_layer) is keras.layers.GaussianDropout
    assert type(network.layers[2].parts["drop"]) is keras.layers.Dropout


def test_what_was_converted_can_be_converted_again():
    network = strange_networks.transformer()
    x = np.random.default_rng(0).normal(size=(4, 5, 3)).astype("float32")

    def halved(layer):
        return keras.layers.Dropout(0.5 * layer.rate) if (
            type(layer) is keras.layers.Dropout) else None

    twin = replacement.convert(replacement.convert(network, halved), halved)
    np.testing.assert_array_equal(twin(x), network(x))
    assert twin.layers[2].layer.parts["drop"].rate == 0.125
    copy = replacement.copy(twin)
    np.testing.assert_array_equal(copy(x), network(x))
    assert copy.layers[2].layer.attention.layer._dropout_layer.rate == 0.125


def test_layers_are_asked_for_once_and_not_inside_of_replaced_ones():
    network, asked = strange_networks.transformer(), []

    def swap(layer):
        asked.append(layer)
        whole = isinstance(layer, keras.layers.MultiHeadAttention)
        return type(layer).from_config(layer.get_config()) if whole else None

    replacement.convert(network, swap)
    assert len({id(layer) for layer in asked}) == len(asked)
    assert not any("query" in layer.name for layer in asked)
    assert any(layer is network.layers[2].mlp.layers[0] for layer in asked)
