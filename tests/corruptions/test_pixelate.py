"""Pixelate averages blocks and leaves an image of blocks alone."""

import numpy as np

from bdlzoo.corruptions import Pixelate


def test_blocks_become_their_mean():
    images = np.random.default_rng(0).uniform(size=(2, 8, 12, 3)).astype("float32")
    means = images.reshape(2, 4, 2, 6, 2, 3).mean((2, 4))
    expected = means.repeat(2, axis=1).repeat(2, axis=2)
    np.testing.assert_allclose(Pixelate(3)(images), expected, atol=1e-6)


def test_image_of_constant_blocks_stays():
    small = np.random.default_rng(0).uniform(size=(1, 10, 4, 1)).astype("float32")
    images = small.repeat(2, axis=1).repeat(2, axis=2)
    np.testing.assert_allclose(Pixelate(3)(images), images, atol=1e-6)


def test_number_of_blocks_is_the_share_of_the_table_though_it_does_not_divide():
    images = np.random.default_rng(0).uniform(size=(1, 28, 10, 1)).astype("float32")
    for severity, (rows, columns) in enumerate(
            [(21, 8), (17, 6), (14, 5), (11, 4), (8, 3)], 1):
        result = Pixelate(severity)(images)[0, ..., 0].numpy()
        assert len(np.unique(result.round(5), axis=0)) == rows
        assert len(np.unique(result.round(5), axis=1).T) == columns
