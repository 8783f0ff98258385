"""Discriminators of styles see image and style."""

import numpy as np
import pytest

from bdlzoo.networks import GanCodeDiscriminator


def test_network_has_its_weights():
    network = GanCodeDiscriminator((28, 28, 1), 100, filters=(32, 64))
    convs = 25 * (32 + 32 * 64) + 2 * (32 + 64)
    styles = 100 * 128 + 128 * 128 + 4 * 128
    both = (49 * 64 + 128) * 256 + 2 * 256 + 256 + 2
    assert sum(w.shape.num_elements() for w in network.trainable_variables) == (
        convs + styles + both)


@pytest.mark.parametrize("filters", [(), (2,)])
def test_image_and_style_change_the_score(filters):
    network = GanCodeDiscriminator((8, 8, 1), 3, filters, (4,), (5,))
    rng = np.random.default_rng(0)
    x = rng.uniform(size=(2, 8, 8, 1)).astype("float32")
    z = rng.uniform(size=(2, 3)).astype("float32")
    scores = network([x[[0, 0, 1, 1]], z[[0, 1, 0, 1]]])
    assert scores.shape == (4, 1) and len(np.unique(scores)) == 4
