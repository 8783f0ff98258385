"""Inference networks end in a style without an activation."""

import keras
import numpy as np

from bdlzoo.networks import GanInference


def test_network_has_its_weights():
    network = GanInference((28, 28, 1), 100)
    count = 16 * (32 + 32 * 64) + 2 * (32 + 64) + 49 * 64 * 100 + 100
    assert sum(w.shape.num_elements() for w in network.trainable_variables) == count
    sides = [layer.output.shape[1] for layer in network.layers
             if isinstance(layer, keras.layers.Conv2D)]
    assert sides == [14, 7]


def test_style_may_have_any_sign():
    network = GanInference((4,), 6, filters=(), hidden=(5,), normalize=False)
    found = network(np.random.default_rng(0).normal(size=(20, 4)))
    assert found.shape == (20, 6)
    assert np.asarray(found).min() < 0 < np.asarray(found).max()
