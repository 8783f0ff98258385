"""Zoom moves points away from the centre by its factor."""

import numpy as np
import pytest

from bdlzoo.corruptions import Zoom


@pytest.mark.parametrize("severity, factor", [
    (1, 1.1), (2, 1.2), (3, 1.35), (4, 1.5), (5, 1.75)])
def test_slope_shrinks_by_the_factor_about_the_centre(severity, factor):
    # Linear interpolation of a linear picture is exact.
    row, column = np.mgrid[:21, :31]
    image = (0.5 + (row - 10) / 60 + (column - 15) / 90).astype("float32")
    expected = 0.5 + (image - 0.5) / factor
    result = Zoom(severity)(image[None, ..., None])[0, ..., 0]
    np.testing.assert_allclose(result, expected, atol=1e-5)
