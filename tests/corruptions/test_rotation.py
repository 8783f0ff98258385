"""Rotation turns a point about the centre by the angle of the table."""

import numpy as np
import pytest

from bdlzoo.corruptions import Rotation


def _blobs(count, size=41, away=12):
    """Soft spots to the right of the centre, each with a light of its own."""
    row, column = np.mgrid[:size, :size] - (size - 1) / 2
    spot = np.exp(-(row**2 + (column - away)**2) / 8)
    lights = np.random.default_rng(0).uniform(0.4, 1, (count, 1, 1))
    return (lights * spot)[..., None].astype("float32"), row, column


@pytest.mark.parametrize("severity, degrees", [
    (1, 10), (2, 20), (3, 30), (4, 45), (5, 60)])
def test_spot_turns_by_the_angle_either_way(severity, degrees):
    images, row, column = _blobs(200)
    result = Rotation(severity)(images)[..., 0].numpy()
    light = result.sum((1, 2))
    y, x = ((result * axis).sum((1, 2)) / light for axis in (row, column))
    np.testing.assert_allclose(np.hypot(y, x), 12, atol=0.05)
    angle = np.degrees(np.arctan2(-y, x))
    np.testing.assert_allclose(np.abs(angle), degrees, atol=0.3)
    assert 70 < np.sum(angle > 0) < 130


def test_corners_come_in_black():
    result = Rotation(4)(np.ones((1, 21, 21, 1), "float32"))[0, ..., 0].numpy()
    corners = [result[i, j] for i in (0, -1) for j in (0, -1)]
    assert corners == [0, 0, 0, 0] and abs(result[10, 10] - 1) < 1e-6
