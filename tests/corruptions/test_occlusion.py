"""Occlusion covers one whole square, anywhere."""

import numpy as np
import pytest

from bdlzoo.corruptions import Occlusion


@pytest.mark.parametrize("size, sides", [
    ((8, 8), (1, 2, 3, 4, 5)), ((20, 33), (3, 5, 8, 10, 12))])
def test_square_has_the_side_of_the_table_and_lies_inside(size, sides):
    images = np.random.default_rng(0).uniform(0.6, 1, (50, *size, 3))
    images = images.astype("float32")
    for severity, side in enumerate(sides, 1):
        result = Occlusion(severity)(images).numpy()
        covered = (result == 0.5).all(-1)
        np.testing.assert_array_equal(result[~covered], images[~covered])
        for mask in covered:
            rows, columns = np.nonzero(mask)
            assert len(rows) == side**2
            assert np.ptp(rows) == np.ptp(columns) == side - 1


def test_every_place_is_equally_likely():
    images = np.random.default_rng(0).uniform(0.6, 1, (3000, 8, 8, 1))
    covered = Occlusion(4)(images.astype("float32"))[..., 0].numpy() == 0.5
    first = covered.any(2).argmax(1), covered.any(1).argmax(1)
    for places in first:
        counts = np.bincount(places, minlength=5)
        assert len(counts) == 5 and np.abs(counts - 600).max() < 100
