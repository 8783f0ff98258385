"""Shear moves rows sideways, the further from the centre the more."""

import numpy as np
import pytest

from bdlzoo.corruptions import Shear


@pytest.mark.parametrize("severity, slant", [
    (1, 0.15), (2, 0.3), (3, 0.45), (4, 0.6), (5, 0.8)])
def test_upright_line_leans_by_the_slant_either_way(severity, slant):
    images = np.zeros((100, 21, 41, 1), "float32")
    images[:, :, 20, 0] = np.random.default_rng(0).uniform(0.4, 1, (100, 1))
    result = Shear(severity)(images)[..., 0].numpy()
    place = (result * (np.arange(41) - 20)).sum(-1) / result.sum(-1)  # [B, H]
    height = 10 - np.arange(21)
    lean = place[:, 0] / 10
    np.testing.assert_allclose(place, lean[:, None] * height, atol=1e-4)
    np.testing.assert_allclose(np.abs(lean), slant, atol=1e-5)
    assert 30 < np.sum(lean > 0) < 70
