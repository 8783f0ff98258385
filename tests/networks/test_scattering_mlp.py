"""The head on scattering features has the sizes that it is told."""

import keras
import numpy as np
import pytest

from bdlzoo.core import registry
from bdlzoo.layers import Scattering
from bdlzoo.networks import ScatteringMLP


def test_only_the_head_is_trained():
    network = ScatteringMLP((28, 28, 1), hidden=(20,))
    features = 7 * 7 * 81
    assert [tuple(w.shape) for w in network.trainable_weights] == [
        (features, 20), (20,), (20, 10), (10,)]
    assert any(isinstance(layer, Scattering) for layer in network.layers)


def test_config_finds_it_and_a_file_keeps_it(tmp_path):
    network = registry.build(dict(type="ScatteringMLP", num_angles=2, dropout=0.3,
                                  outputs=3), input_shape=(8, 8, 1))
    network.save(tmp_path / "network.keras")
    loaded = keras.saving.load_model(tmp_path / "network.keras")
    x = np.random.default_rng(0).uniform(size=(2, 8, 8, 1)).astype("float32")
    np.testing.assert_array_equal(network(x), loaded(x))
    assert network.output_shape == (None, 3)


@pytest.mark.parametrize("wrong", [
    {"input_shape": (4, 4, 1)}, {"hidden": (0,)}, {"outputs": 0}])
def test_wrong_arguments_are_named(wrong):
    with pytest.raises(ValueError, match="Received: "):
        ScatteringMLP(**{"input_shape": (8, 8, 1), **wrong})
