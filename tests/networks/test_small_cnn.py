"""The small network has the weights and the dropout it should."""

import keras
import numpy as np
import pytest

from bdlzoo.core import registry
from bdlzoo.networks.small_cnn import SmallCNN


def _kinds(network):
    return [type(layer).__name__ for layer in network.layers[1:]]


def test_weights_are_1_199_882_on_digits_of_28():
    network = SmallCNN((28, 28, 1))
    assert network.count_params() == 1_199_882
    assert network.output_shape == (None, 10)
    assert network.layers[-1].activation is keras.activations.linear


def test_activation_follows_every_hidden_layer():
    network = SmallCNN((12, 12, 1), activation="tanh")
    found = [layer.activation for layer in network.layers
             if hasattr(layer, "activation")]
    assert found[:-1] == [keras.activations.tanh] * 3


def test_filters_and_hidden_sizes_are_free():
    network = SmallCNN((8, 8, 1), filters=(4, 8), hidden=(16,))
    assert network.count_params() == 40 + 296 + (2 * 2 * 8 + 1) * 16 + 170


def test_pair_of_rates_is_one_for_the_pooling_and_one_for_the_dense_layer():
    """The published network drops 0.25 and 0.5."""
    network = SmallCNN((8, 8, 1), dropout=(0.25, 0.5))
    rates = [layer.rate for layer in network.layers
             if isinstance(layer, keras.layers.Dropout)]
    assert rates == [0.25, 0.5]
    network = SmallCNN((8, 8, 1), dropout=(0.25, 0.5), dropout_at="last")
    [layer] = [layer for layer in network.layers
               if isinstance(layer, keras.layers.Dropout)]
    assert layer.rate == 0.5
    with pytest.raises(ValueError, match="pair"):
        SmallCNN((8, 8, 1), dropout=(0.1, 0.2, 0.3))


@pytest.mark.parametrize("place, expected", [
    ("last",
     ["Conv2D", "Conv2D", "MaxPooling2D", "Flatten", "Dense", "Dropout",
      "Dense"]),
    ("all",
     ["Conv2D", "Conv2D", "MaxPooling2D", "Dropout", "Flatten", "Dense",
      "Dropout", "Dense"]),
])
def test_dropout_sits_where_it_is_told(place, expected):
    network = SmallCNN((28, 28, 1), dropout=0.5, dropout_at=place)
    assert _kinds(network) == expected
    without = SmallCNN((28, 28, 1), dropout_at=place)
    assert _kinds(without) == [k for k in expected if k != "Dropout"]


def test_specs_are_used_in_every_place():
    network = SmallCNN(
        (28, 28, 1), conv={"type": "Conv2D", "use_bias": False},
        layer=lambda units, **kwargs: keras.layers.Dense(
            units, use_bias=False, **kwargs))
    assert network.count_params() == 1_199_882 - (32 + 64 + 128 + 10)
    network = SmallCNN(
        (28, 28, 1), layer={"type": "Dense", "use_bias": False},
        output_layer="Dense", outputs=3)
    assert network.layers[-1].use_bias and not network.layers[-2].use_bias
    assert network.output_shape == (None, 3)


def test_file_round_trip_keeps_the_function(tmp_path):
    network = registry.build("SmallCNN", input_shape=(8, 8, 1), dropout=0.2)
    network.save(tmp_path / "network.keras")
    loaded = keras.saving.load_model(tmp_path / "network.keras")
    x = np.random.default_rng(0).normal(size=(3, *(8, 8, 1))).astype("float32")
    np.testing.assert_array_equal(network(x), loaded(x))
    assert _kinds(loaded) == _kinds(network)


@pytest.mark.parametrize("wrong", [
    {"input_shape": (784,)}, {"input_shape": (5, 28, 1)}, {"outputs": -1},
    {"dropout": -0.1}, {"dropout_at": "hidden"}])
def test_wrong_arguments_are_named(wrong):
    name = "rate" if "dropout" in wrong else next(iter(wrong))
    with pytest.raises(ValueError, match=f"Received: {name}="):
        SmallCNN(**{"input_shape": (28, 28, 1), **wrong})


def test_the_smallest_image_is_as_small_as_it_says():
    assert SmallCNN((6, 6, 1)).output_shape == (None, 10)
