"""Generators have the layers they should, and listen to the label."""

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.networks import GanGenerator


def _count(network):
    return sum(w.shape.num_elements() for w in network.trainable_variables)


def test_published_network_of_mnist_has_its_weights():
    network = GanGenerator(100, 10, (28, 28, 1))
    dense = 110 * 500 + 500 + 510 * 500 + 500
    # Scale and shift of two BatchNorms, then kernel, scale and bias of the last layer.
    assert _count(network) == dense + 2 * 2 * 500 + 510 * 784 + 2 * 784
    assert network.output_shape == (None, 28, 28, 1)


def test_published_network_of_colour_images_has_its_weights():
    network = GanGenerator(100, 10, (32, 32, 3), hidden=(), filters=(512, 256, 128))
    dense = 110 * 8192 + 8192
    convs = 25 * (522 * 256 + 266 * 128) + 256 + 128
    norms = 2 * (512 + 256 + 128)
    assert _count(network) == dense + convs + norms + 25 * 138 * 3 + 2 * 3
    assert network.output_shape == (None, 32, 32, 3)


@pytest.mark.parametrize("filters", [(), (4, 2)])
def test_label_changes_the_image(filters):
    network = GanGenerator(3, 4, (8, 8, 1), hidden=(6,), filters=filters)
    labels = tf.one_hot([0, 1, 2], 4)
    with tf.GradientTape() as tape:
        tape.watch(labels)
        images = network([tf.fill([3, 3], 0.5), labels])
    slopes = tape.batch_jacobian(images, labels)
    assert (np.abs(slopes).max(axis=(1, 2, 3)) > 0).all()
    assert np.asarray(images).min() > 0 and np.asarray(images).max() < 1
    assert any("label" in layer.name for layer in network.layers)
    count = sum("label" in layer.name for layer in network.layers)
    # One for each layer: the dense ones, and those that make the image larger.
    assert count == (2 if not filters else 4)


def test_sides_that_cannot_be_doubled_are_refused():
    with pytest.raises(ValueError, match="4 divides.*output_shape=\\(6, 8, 1\\)"):
        GanGenerator(3, 4, (6, 8, 1), filters=(4, 2))
