"""LeNet-5 has the weights, the layers and the dropout it should."""

import keras
import pytest

from bdlzoo.networks.lenet5 import LeNet5
from tests.networks.architectures import kinds


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
    assert kinds(network) == expected
    without = LeNet5((28, 28, 1), dropout_at=place)
    assert kinds(without) == [k for k in expected if k != "Dropout"]
