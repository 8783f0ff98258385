"""LeNet has the weights, the layers and the dropout it should."""

import keras
import pytest

from bdlzoo.networks.lenet import LeNet
from tests.networks.architectures import kinds


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
    assert kinds(network) == expected
    without = LeNet((28, 28, 1), dropout_at=place)
    assert kinds(without) == [k for k in expected if k != "Dropout"]
