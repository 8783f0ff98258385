"""LeNet-5 has the weights, the layers and the dropout it should."""

import keras
import numpy as np
import pytest

from bdlzoo.core import registry
from bdlzoo.networks.lenet5 import LeNet5


def _kinds(network):
    return [type(layer).__name__ for layer in network.layers[1:]]


def test_weights_are_545_546_on_digits_of_28():
    network = LeNet5((28, 28, 1))
    assert network.count_params() == 545_546
    assert network.output_shape == (None, 10)
    assert network.layers[-1].activation is keras.activations.linear


def test_activation_follows_every_hidden_layer():
    network = LeNet5((12, 12, 1), activation="tanh")
    found = [layer.activation for layer in network.layers
             if hasattr(layer, "activation")]
    assert found[:-1] == [keras.activations.tanh] * 4


@pytest.mark.parametrize("place, expected", [
    ("last",
     ["Conv2D", "MaxPooling2D", "Conv2D", "MaxPooling2D", "Conv2D",
      "Flatten", "Dense", "Dropout", "Dense"]),
    ("all",
     ["Conv2D", "MaxPooling2D", "Dropout", "Conv2D", "MaxPooling2D",
      "Dropout", "Conv2D", "Flatten", "Dense", "Dropout", "Dense"]),
])
def test_dropout_sits_where_it_is_told(place, expected):
    network = LeNet5((28, 28, 1), dropout=0.5, dropout_at=place)
    assert _kinds(network) == expected
    without = LeNet5((28, 28, 1), dropout_at=place)
    assert _kinds(without) == [k for k in expected if k != "Dropout"]


def test_specs_are_used_in_every_place():
    network = LeNet5(
        (28, 28, 1), conv={"type": "Conv2D", "use_bias": False},
        layer=lambda units, **kwargs: keras.layers.Dense(
            units, use_bias=False, **kwargs))
    assert network.count_params() == 545_546 - (6 + 16 + 120 + 84 + 10)
    network = LeNet5(
        (28, 28, 1), layer={"type": "Dense", "use_bias": False},
        output_layer="Dense", outputs=3)
    assert network.layers[-1].use_bias and not network.layers[-2].use_bias
    assert network.output_shape == (None, 3)


def test_file_round_trip_keeps_the_function(tmp_path):
    network = registry.build("LeNet5", input_shape=(8, 8, 1), dropout=0.2)
    network.save(tmp_path / "network.keras")
    loaded = keras.saving.load_model(tmp_path / "network.keras")
    x = np.random.default_rng(0).normal(size=(3, *(8, 8, 1))).astype("float32")
    np.testing.assert_array_equal(network(x), loaded(x))
    assert _kinds(loaded) == _kinds(network)


@pytest.mark.parametrize("wrong", [
    {"input_shape": (784,)}, {"input_shape": (3, 28, 1)}, {"outputs": -1},
    {"dropout": -0.1}, {"dropout_at": "hidden"}])
def test_wrong_arguments_are_named(wrong):
    name = "rate" if "dropout" in wrong else next(iter(wrong))
    with pytest.raises(ValueError, match=f"Received: {name}="):
        LeNet5(**{"input_shape": (28, 28, 1), **wrong})


def test_the_smallest_image_is_as_small_as_it_says():
    assert LeNet5((4, 4, 1)).output_shape == (None, 10)
