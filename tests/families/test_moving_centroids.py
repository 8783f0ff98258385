"""Centroids that move: 0.3 is the share of the new one."""

import numpy as np
import pytest

from bdlzoo.core import noise
from bdlzoo.families.moving_centroids import MovingCentroids
from tests.families.domains import Stub, pair

SOURCE = np.array([[1, 1, 1], [3, 3, 3]], "float32")
TEACHER = np.array([[9, 0, 0], [9, 0, 0]], "float32")  # All rows are of class 0.


def test_centroids_move_by_the_rate_and_absent_classes_stay():
    part = MovingCentroids(0.5, rate=0.3)
    part.attach(Stub(), 3, noise.key(0))
    for average in part.averages:
        average.assign(np.ones((3, 3)))
    found = part.terms(Stub(), pair(SOURCE, [0, 1], 2 * SOURCE, TEACHER))
    np.testing.assert_allclose(np.asarray(part.averages[0])[:, 0], [1.0, 1.6, 1.0],
                               rtol=1e-6)
    np.testing.assert_allclose(np.asarray(part.averages[1])[:, 0], [1.9, 1.0, 1.0],
                               rtol=1e-6)
    weight, value = found["semantic"]
    np.testing.assert_allclose(value, 0.9**2 + 0.6**2, rtol=1e-5)
    assert weight == 0.5


def test_rate_is_a_share():
    with pytest.raises(ValueError, match="centroid_rate=0"):
        MovingCentroids(rate=0)
