"""Motion blur: equal weights on a path along one axis."""

import numpy as np
import pytest

from bdlzoo.corruptions import MotionBlur
from bdlzoo.corruptions.motion_blur import kernel


@pytest.mark.parametrize("length, weights", [
    (1.0, [1]), (3.0, [1 / 3] * 3), (2.0, [0.25, 0.5, 0.25]),
    (4.0, [0.125, 0.25, 0.25, 0.25, 0.125])])
def test_kernel_is_a_path_of_that_length(length, weights):
    np.testing.assert_allclose(kernel(length), weights)


def test_point_becomes_a_line_upright_or_level():
    rng = np.random.default_rng(0)
    images = np.zeros((200, 50, 50, 1), "float32")
    images[:, 25, 25, 0] = rng.uniform(0.3, 1, 200)  # Each with a coin of its own.
    result = MotionBlur(2)(images)[..., 0].numpy() / images[:, 25:26, 25]
    level = result[:, 25, 24] > 0
    np.testing.assert_allclose(result[:, 25, 25], 1 / 7, atol=1e-6)
    for chosen, axis in ((level, 1), (~level, 2)):
        line = result[chosen].sum(axis)
        np.testing.assert_allclose(line[:, 22:29], 1 / 7, atol=1e-6)
        assert np.abs(line[:, :22]).max() == 0
    assert 70 < level.sum() < 130
