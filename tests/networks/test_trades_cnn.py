"""The network of TRADES has the weights and the layers it should."""

import keras

from bdlzoo.networks.trades_cnn import TradesCNN
from tests.networks.architectures import kinds


def test_weights_are_312_202_on_digits_of_28():
    network = TradesCNN((28, 28, 1))
    assert network.count_params() == 312_202
    assert kinds(network) == ["Conv2D", "Conv2D", "MaxPooling2D"] * 2 + [
        "Flatten", "Dense", "Dense", "Dense"]
    assert network.layers[-1].activation is keras.activations.linear


def test_convolutions_are_not_padded():
    network = TradesCNN((28, 28, 1))
    sides = [layer.output.shape[1] for layer in network.layers[1:7]]
    assert sides == [26, 24, 12, 10, 8, 4]
