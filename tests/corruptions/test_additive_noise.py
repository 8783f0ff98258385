"""Additive noise has the standard deviation of its table."""

import numpy as np
import pytest

from bdlzoo.corruptions import AdditiveNoise


@pytest.mark.parametrize("severity, std", [(1, 0.08), (2, 0.12)])
def test_noise_has_the_standard_deviation_of_the_table(severity, std):
    images = np.full((1, 100, 100, 3), 0.5, "float32")
    noise = AdditiveNoise(severity)(images) - images
    assert abs(np.std(noise) / std - 1) < 0.02
    assert abs(np.mean(noise)) < 0.003


def test_noise_is_its_own_in_every_pixel_and_channel():
    noise = AdditiveNoise(1)(np.full((1, 60, 60, 3), 0.5, "float32"))[0].numpy()
    assert np.abs(np.corrcoef(noise.reshape(-1, 3).T) - np.eye(3)).max() < 0.06
    assert abs(np.corrcoef(noise[1:].ravel(), noise[:-1].ravel())[0, 1]) < 0.04
