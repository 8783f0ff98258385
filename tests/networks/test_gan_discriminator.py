"""Discriminators of labels see the label at every layer."""

import keras
import numpy as np
import pytest

from bdlzoo.networks import GanDiscriminator


def test_published_network_of_mnist_has_its_weights():
    network = GanDiscriminator((28, 28, 1), 10, hidden=(1000, 500, 250, 250, 250))
    sizes = (784, 1000, 500, 250, 250, 250, 1)
    count = sum((a + 10) * b + 2 * b for a, b in zip(sizes, sizes[1:]))
    assert sum(w.shape.num_elements() for w in network.trainable_variables) == count
    scales = [layer.stddev for layer in network.layers
              if isinstance(layer, keras.layers.GaussianNoise)]
    assert scales == [0.3] + [0.5] * 4


def test_published_network_of_colour_images_has_its_weights():
    network = GanDiscriminator((32, 32, 3), 10, hidden=(), filters=(32, 64, 128))
    pairs = ((3, 32), (32, 32), (32, 64), (64, 64), (64, 128), (128, 128))
    convs = sum(9 * (a + 10) * b + 2 * b for a, b in pairs)
    assert sum(w.shape.num_elements() for w in network.trainable_variables) == (
        convs + 138 + 2)


@pytest.mark.parametrize("filters", [(), (2,)])
def test_label_changes_the_score(filters):
    network = GanDiscriminator((8, 8, 1), 3, hidden=(4,), filters=filters)
    x = np.random.default_rng(0).uniform(size=(1, 8, 8, 1)).astype("float32")
    scores = network([np.repeat(x, 3, axis=0), np.eye(3, dtype="float32")])
    assert scores.shape == (3, 1) and len(np.unique(scores)) == 3
