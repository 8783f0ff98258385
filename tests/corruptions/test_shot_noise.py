"""Shot noise has the mean and the variance of counts."""

import numpy as np
import pytest

from bdlzoo.corruptions import ShotNoise


@pytest.mark.parametrize("severity, photons", [(1, 60), (2, 25)])
@pytest.mark.parametrize("light", [0.3, 0.5])
def test_variance_is_the_light_over_the_photons(severity, photons, light):
    images = np.full((1, 120, 120, 3), light, "float32")
    result = ShotNoise(severity)(images).numpy()
    assert abs(result.var() / (light / photons) - 1) < 0.03
    assert abs(result.mean() - light) < 0.003


def test_black_stays_black():
    images = np.zeros((2, 8, 8, 1), "float32")
    np.testing.assert_array_equal(ShotNoise(5)(images), images)
