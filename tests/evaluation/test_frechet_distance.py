"""Frechet distance against closed forms."""

import numpy as np
import pytest
from scipy import linalg

from bdlzoo.evaluation.frechet_distance import frechet_distance

RNG = np.random.default_rng(0)


def test_same_moments_have_no_distance():
    x = RNG.normal(size=(50, 4))
    np.testing.assert_allclose(frechet_distance(x, x[::-1]), 0.0, atol=1e-8)
    np.testing.assert_allclose(frechet_distance(x, x + 2.0), 16.0, rtol=1e-6)


def test_scales_of_one_number_are_subtracted():
    """(s_1 - s_2)^2 for each, where features do not depend on each other."""
    x = np.array([[-1.0], [1.0]])
    np.testing.assert_allclose(frechet_distance(x, 3.0 * x + 1.0), 4.0 + 1.0)


def test_distance_is_that_of_the_matrix_root():
    first, second = RNG.normal(size=(40, 3)), RNG.normal(size=(60, 3)) @ RNG.normal(
        size=(3, 3))
    one, two = (np.cov(rows.T, bias=True) for rows in (first, second))
    expected = np.sum((first.mean(0) - second.mean(0))**2) + np.trace(
        one + two - 2 * linalg.sqrtm(one @ two).real)
    np.testing.assert_allclose(frechet_distance(first, second), expected, rtol=1e-6)
    np.testing.assert_allclose(frechet_distance(second, first), expected, rtol=1e-6)


def test_sets_that_cannot_be_compared_are_refused():
    for wrong in (np.zeros((1, 3)), np.zeros((5, 2)), np.zeros(3)):
        with pytest.raises(ValueError, match="two sets of features"):
            frechet_distance(np.zeros((5, 3)), wrong)
