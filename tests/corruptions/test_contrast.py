"""Contrast scales the deviation and keeps the mean."""

import numpy as np
import pytest

from bdlzoo.corruptions import Contrast


@pytest.mark.parametrize("severity, factor", [
    (1, 0.6), (2, 0.45), (3, 0.3), (4, 0.2), (5, 0.1)])
def test_deviation_shrinks_by_the_factor_and_the_mean_stays(severity, factor):
    images = np.random.default_rng(0).uniform(size=(3, 8, 9, 3)).astype("float32")
    result = Contrast(severity)(images).numpy()
    np.testing.assert_allclose(result.std((1, 2)), factor * images.std((1, 2)),
                               rtol=1e-4)
    np.testing.assert_allclose(result.mean((1, 2)), images.mean((1, 2)), rtol=1e-4)
