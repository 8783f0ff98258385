"""Continuous ranked probability score against its definition."""

import numpy as np
import pytest
import scipy.stats

from bdlzoo.metrics.crps import CRPS


def _crps(targets, pairs):
    metric = CRPS()
    metric.update_state(np.array(targets), np.array(pairs))
    return float(metric.result())


def _closed_form(y, mean, scale):
    z, normal = (y - mean) / scale, scipy.stats.norm
    return scale * (z * (2 * normal.cdf(z) - 1) + 2 * normal.pdf(z)
                    - 1 / np.sqrt(np.pi))


def _integral(y, means, variances):
    """The integral of (F(t) - 1[y <= t])**2 on a grid split at y."""
    total = 0.0
    for low, high, step in ((-30.0, y, 0.0), (y, 30.0, 1.0)):
        t = np.linspace(low, high, 20_001)
        cdf = scipy.stats.norm.cdf(
            t[:, None], means, np.sqrt(variances)).mean(axis=-1)
        total += np.trapezoid((cdf - step) ** 2, t)
    return total


@pytest.mark.parametrize("y", [-3.0, 0.5, 2.0])
def test_gaussian_equals_the_closed_form(y):
    expected = _closed_form(y, 0.5, 1.5)
    assert _crps([y], [[[0.5, 2.25]]]) == pytest.approx(expected, abs=1e-5)
    assert _integral(y, [0.5], [2.25]) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("y", [-3.0, 0.5, 2.0])
def test_mixture_equals_the_integral(y):
    means, variances = np.array([-2.0, 0.0, 3.0]), np.array([0.5, 2.0, 1.0])
    pairs = np.stack([means, variances], axis=-1)[:, None, None]
    assert _crps([y], pairs) == pytest.approx(
        _integral(y, means, variances), abs=1e-4)


def test_equal_components_are_one_gaussian():
    pairs = np.tile([0.5, 2.25], (4, 1, 1, 1))
    assert _crps([2.0], pairs) == pytest.approx(
        _closed_form(2.0, 0.5, 1.5), abs=1e-5)


def test_sharp_predictive_gives_the_absolute_error():
    assert _crps([2.0], [[[-1.0, 1e-8]]]) == pytest.approx(3.0, abs=1e-3)


@pytest.mark.parametrize("y", [-1.0, 2.0])
def test_point_gives_the_absolute_error(y):
    assert _crps([y], [[[-1.0, 0.0]]]) == abs(y + 1.0)


def test_points_give_the_score_of_an_ensemble():
    """`mean |y - x_s| - mean |x_s - x_t| / 2`, also beside a Gaussian."""
    points = np.array([-2.0, 0.0, 0.5])
    pairs = np.stack([points, np.zeros(3)], axis=-1)[:, None, None]
    expected = (abs(1.0 - points).mean()
                - abs(points[:, None] - points).mean() / 2)
    assert _crps([1.0], pairs) == pytest.approx(expected, abs=1e-6)
    pairs[1, ..., 1] = 1.0
    assert _crps([1.0], pairs) == pytest.approx(
        _integral(1.0, points, [1e-10, 1.0, 1e-10]), abs=2e-3)


def test_rows_and_outputs_are_averaged():
    pairs = np.ones((2, 2, 2))
    targets = np.array([[0.0, 1.0], [2.0, 3.0]])
    assert _crps(targets, pairs) == pytest.approx(
        _closed_form(targets, 1.0, 1.0).mean(), abs=1e-5)
