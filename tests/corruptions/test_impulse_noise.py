"""Salt and pepper: as many of each, on whole pixels."""

import numpy as np
import pytest

from bdlzoo.corruptions import ImpulseNoise


@pytest.mark.parametrize("severity, share", [(1, 0.03), (3, 0.1), (5, 0.27)])
def test_half_of_the_share_is_white_and_half_black(severity, share):
    # Equal images would have equal noise.
    images = np.linspace(0.3, 0.6, 4, dtype="float32")[:, None, None, None] * np.ones(
        (4, 100, 100, 1), "float32")
    result = ImpulseNoise(severity)(images).numpy()
    slack = 4 * np.sqrt(share / 2 / result.size)
    assert abs(np.mean(result == 1) - share / 2) < slack
    assert abs(np.mean(result == 0) - share / 2) < slack
    assert ((result == images) | np.isin(result, np.float32([0, 1]))).all()


def test_channels_break_together():
    result = ImpulseNoise(5)(np.full((1, 50, 50, 3), 0.4, "float32")).numpy()
    assert np.ptp(result, axis=-1).max() == 0 and np.ptp(result) == 1
