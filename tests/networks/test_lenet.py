"""LeNet has the weights, the layers and the dropout it should."""

import keras
import numpy as np
import pytest

from bdlzoo.core import registry
from bdlzoo.networks.lenet import LeNet


def _kinds(network):
    return [type(layer).__name__ for layer in network.layers[1:]]


def test_weights_are_431_080_on_digits_of_28():
    network = LeNet((28, 28, 1))
    assert network.count_params() == 431_080
    assert network.output_shape == (None, 10)
    assert network.layers[-1].activation is keras.activations.linear


def test_convolutions_have_no_activation():
    network = LeNet((16, 16, 1), activation="tanh")
    found = [layer.activation for layer in network.layers
             if hasattr(layer, "activation")]
    linear, tanh = keras.activations.linear, keras.activations.tanh
    assert found == [linear, linear, tanh, linear]


@pytest.mark.parametrize("place, expected", [
    ("last",
     ["Conv2D", "MaxPooling2D", "Conv2D", "MaxPooling2D", "Flatten",
      "Dense", "Dropout", "Dense"]),
    ("all",
     ["Conv2D", "MaxPooling2D", "Dropout", "Conv2D", "MaxPooling2D",
      "Dropout", "Flatten", "Dense", "Dropout", "Dense"]),
])
def test_dropout_sits_where_it_is_told(place, expected):
    network = LeNet((28, 28, 1), dropout=0.5, dropout_at=place)
    assert _kinds(network) == expected
    without = LeNet((28, 28, 1), dropout_at=place)
    assert _kinds(without) == [k for k in expected if k != "Dropout"]


def test_specs_are_used_in_every_place():
    network = LeNet(
        (28, 28, 1), conv={"type": "Conv2D", "use_bias": False},
        layer=lambda units, **kwargs: keras.layers.Dense(
            units, use_bias=False, **kwargs))
    assert network.count_params() == 431_080 - (20 + 50 + 500 + 10)
    network = LeNet(
        (28, 28, 1), layer={"type": "Dense", "use_bias": False},
        output_layer="Dense", outputs=3)
    assert network.layers[-1].use_bias and not network.layers[-2].use_bias
    assert network.output_shape == (None, 3)


def test_file_round_trip_keeps_the_function(tmp_path):
    network = registry.build("LeNet", input_shape=(16, 16, 1), dropout=0.2)
    network.save(tmp_path / "network.keras")
    loaded = keras.saving.load_model(tmp_path / "network.keras")
    x = np.random.default_rng(0).normal(size=(3, *(16, 16, 1))).astype("float32")
    np.testing.assert_array_equal(network(x), loaded(x))
    assert _kinds(loaded) == _kinds(network)


@pytest.mark.parametrize("wrong", [
    {"input_shape": (784,)}, {"input_shape": (15, 28, 1)}, {"outputs": -1},
    {"dropout": -0.1}, {"dropout_at": "hidden"}])
def test_wrong_arguments_are_named(wrong):
    name = "rate" if "dropout" in wrong else next(iter(wrong))
    with pytest.raises(ValueError, match=f"Received: {name}="):
        LeNet(**{"input_shape": (28, 28, 1), **wrong})


def test_the_smallest_image_is_as_small_as_it_says():
    assert LeNet((16, 16, 1)).output_shape == (None, 10)
