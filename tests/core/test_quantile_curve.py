"""Distribution through quantiles against its integrals."""

import numpy as np
import scipy.stats

from bdlzoo.core.quantile_curve import QuantileCurve

LEVELS = (0.1, 0.4, 0.8)
VALUES = np.array([[-1.0, 0.5, 2.0]])


def test_curve_goes_through_its_quantiles_and_is_straight_between():
    curve = QuantileCurve(VALUES, LEVELS)
    for value, level in zip(VALUES[0], LEVELS):
        np.testing.assert_allclose(curve.cdf([value]), [level])
    np.testing.assert_allclose(curve.cdf([-0.25]), [0.25])
    np.testing.assert_allclose(curve.cdf([[-1e3], [1e3]]), [[0.0], [1.0]], atol=1e-9)


def test_density_is_continuous_where_a_tail_begins():
    curve, step = QuantileCurve(VALUES, LEVELS), 1e-6
    for end in (-1.0, 2.0):
        below, at, above = (float(curve.cdf([t])[0])
                            for t in (end - step, end, end + step))
        np.testing.assert_allclose((at - below) / step, (above - at) / step,
                                   rtol=1e-4)


def test_moments_are_those_of_the_distribution_function():
    curve = QuantileCurve(VALUES, LEVELS)
    grid = np.linspace(-40, 60, 400_001)
    cdf = np.asarray(curve.cdf(grid[:, None]))[:, 0]
    middles = 0.5 * (grid[1:] + grid[:-1])
    mean = np.sum(middles * np.diff(cdf))
    np.testing.assert_allclose(curve.mean(), [mean], rtol=1e-5)
    np.testing.assert_allclose(curve.variance(),
                               [np.sum((middles - mean)**2 * np.diff(cdf))], rtol=1e-5)


def test_quantiles_of_a_normal_give_nearly_its_moments():
    levels = tuple(np.linspace(0.01, 0.99, 99))
    curve = QuantileCurve(scipy.stats.norm(3.0, 2.0).ppf([levels]), levels)
    np.testing.assert_allclose(curve.mean(), [3.0], rtol=1e-6)
    np.testing.assert_allclose(curve.variance(), [4.0], rtol=0.02)


def test_quantiles_that_coincide_are_a_jump():
    curve = QuantileCurve(np.array([[1.0, 1.0, 1.0]]), LEVELS)
    np.testing.assert_allclose(curve.cdf([[0.999], [1.001]]), [[0.0], [1.0]],
                               atol=1e-6)
    np.testing.assert_allclose(curve.variance(), [0.0], atol=1e-6)
