"""The network of Wong and Kolter has the weights and the strides it should."""

import keras

from bdlzoo.networks.wong_kolter_cnn import WongKolterCNN
from tests.networks.architectures import kinds


def test_weights_are_166_406_on_digits_of_28():
    network = WongKolterCNN((28, 28, 1))
    assert network.count_params() == 166_406
    assert kinds(network) == ["Conv2D", "Conv2D", "Flatten", "Dense", "Dense"]
    assert network.layers[-1].activation is keras.activations.linear


def test_strides_halve_the_image_twice():
    network = WongKolterCNN((28, 28, 1))
    assert [layer.output.shape[1:] for layer in network.layers[1:3]] == [
        (14, 14, 16), (7, 7, 32)]
    assert all(layer.activation is keras.activations.relu
               for layer in network.layers if hasattr(layer, "filters"))
