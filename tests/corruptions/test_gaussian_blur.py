"""The blur keeps the light, and spreads a point as far as the table says."""

import numpy as np
import pytest

from bdlzoo.corruptions import GaussianBlur
from bdlzoo.corruptions.gaussian_blur import kernel


@pytest.mark.parametrize("std", [0.05, 0.3, 1.0, 4.0])
def test_kernel_is_the_mean_of_moved_pixels(std):
    weights = kernel(std)
    radius = len(weights) // 2
    assert len(weights) % 2 == 1 and abs(weights.sum() - 1) < 1e-12
    moves = std * np.random.default_rng(0).normal(size=200_000)
    offsets = np.arange(-radius, radius + 1)
    sampled = np.maximum(0, 1 - np.abs(offsets[:, None] - moves)).mean(axis=1)
    np.testing.assert_allclose(weights, sampled, atol=4e-3)


def test_wide_kernel_is_the_density():
    offsets = np.arange(-12, 13)
    density = np.exp(-offsets**2 / 32) / np.sqrt(32 * np.pi)
    np.testing.assert_allclose(kernel(4.0), density, atol=2e-3)


@pytest.mark.parametrize("shape", [(8, 8, 1), (9, 20, 3)])
def test_constant_image_stays_constant(shape):
    images = np.full((1, *shape), 0.37, "float32")
    np.testing.assert_allclose(GaussianBlur(5)(images), images, atol=1e-6)


def test_point_spreads_alike_in_rows_and_columns_by_the_share_of_the_table():
    image = np.zeros((1, 51, 51, 1), "float32")
    image[0, 25, 25] = 1
    result = GaussianBlur(3)(image)[0, ..., 0].numpy()
    np.testing.assert_allclose(result, result.T, atol=1e-7)
    variance = np.sum(result.sum(0) * (np.arange(51) - 25)**2)
    # A pixel read by interpolation adds a sixth to the variance.
    assert abs(result.sum() - 1) < 1e-5
    assert abs(variance - ((0.05 * 51)**2 + 1 / 6)) < 0.15
