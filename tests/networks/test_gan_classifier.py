"""Classifiers of the papers have the layers they should."""

import keras
import pytest

from bdlzoo.networks import GanClassifier


def _count(network):
    return sum(w.shape.num_elements() for w in network.trainable_variables)


def test_published_network_of_mnist_has_its_weights():
    network = GanClassifier((28, 28, 1))
    convs = 25 * 32 + 9 * (32 * 64 + 64 * 64 + 64 * 128 + 128 * 128)
    norms = 2 * (32 + 64 + 64 + 128 + 128)
    assert _count(network) == convs + norms + 1290
    assert [layer.rate for layer in network.layers
            if isinstance(layer, keras.layers.Dropout)] == [0.5, 0.5]


def test_published_network_of_colour_images_has_its_weights():
    network = GanClassifier(
        (32, 32, 3), ((128,) * 3, (256,) * 3, (512, 256, 128)), first_kernel=3,
        pointwise=True, activation="leaky_relu")
    convs = 9 * (3 * 128 + 2 * 128 * 128 + 128 * 256 + 2 * 256 * 256 + 256 * 512)
    convs += 512 * 256 + 256 * 128
    assert _count(network) == convs + 2 * (3 * 128 + 3 * 256 + 512 + 256 + 128) + 1290


@pytest.mark.parametrize("stages, words", [
    ((), "filters of each stage"), (((4,), ()), "stages"), (((4,),) * 4, "at least 8")])
def test_stages_that_do_not_fit_are_refused(stages, words):
    with pytest.raises(ValueError, match=words):
        GanClassifier((7, 7, 1), stages)
