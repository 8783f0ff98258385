"""LeNet with BatchNorm has the weights it should."""

import pytest

from bdlzoo.networks.batch_norm_lenet import BatchNormLeNet
from tests.networks.architectures import kinds


def test_weights_on_digits_of_28():
    network = BatchNormLeNet((28, 28, 1))
    trained = sum(w.shape.num_elements() for w in network.trainable_variables)
    assert trained == 431_080 + 2 * (20 + 50)
    assert network.output_shape == (None, 10)
    assert kinds(network) == 2 * ["Conv2D", "BatchNormalization", "ReLU",
                                  "MaxPooling2D"] + ["Flatten", "Dense", "Dense"]


def test_dropout_is_before_the_output_layer():
    network = BatchNormLeNet((16, 16, 1), outputs=2, dropout=0.5)
    assert kinds(network)[-2:] == ["Dropout", "Dense"]


def test_small_images_are_refused():
    with pytest.raises(ValueError, match="16"):
        BatchNormLeNet((8, 8, 1))
