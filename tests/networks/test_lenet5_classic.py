"""The small LeNet-5 has the weights and the dropout it should."""

import keras
import pytest

from bdlzoo.networks.lenet5_classic import LeNet5Classic
from tests.networks.architectures import kinds


def test_weights_are_61_706_on_digits_of_28():
    network = LeNet5Classic((28, 28, 1))
    assert network.count_params() == 61_706
    assert network.output_shape == (None, 10)
    assert network.layers[-1].activation is keras.activations.linear


def test_activation_follows_every_hidden_layer():
    network = LeNet5Classic((12, 12, 1), activation="tanh")
    found = [layer.activation for layer in network.layers
             if hasattr(layer, "activation")]
    assert found[:-1] == [keras.activations.tanh] * 4


@pytest.mark.parametrize("place, expected", [
    ("last",
     ["Conv2D", "MaxPooling2D", "Conv2D", "MaxPooling2D", "Flatten",
      "Dense", "Dense", "Dropout", "Dense"]),
    ("all",
     ["Conv2D", "MaxPooling2D", "Dropout", "Conv2D", "MaxPooling2D",
      "Dropout", "Flatten", "Dense", "Dropout", "Dense", "Dropout",
      "Dense"]),
])
def test_dropout_sits_where_it_is_told(place, expected):
    network = LeNet5Classic((28, 28, 1), dropout=0.5, dropout_at=place)
    assert kinds(network) == expected
    without = LeNet5Classic((28, 28, 1), dropout_at=place)
    assert kinds(without) == [k for k in expected if k != "Dropout"]
