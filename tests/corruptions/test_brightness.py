"""Brightness adds light up to white."""

import numpy as np
import pytest

from bdlzoo.corruptions import Brightness


@pytest.mark.parametrize("severity", range(1, 6))
def test_light_is_added_and_white_is_the_end(severity):
    images = np.linspace(0, 1, 64, dtype="float32").reshape(1, 8, 8, 1)
    expected = np.minimum(images + severity / 10, 1)
    np.testing.assert_allclose(Brightness(severity)(images), expected, atol=1e-6)
