"""Conformal intervals: coverage whatever the noise, and their definition."""

import numpy as np
import pytest

from bdlzoo.core.regression_prediction import RegressionPrediction
from bdlzoo.posthoc import fit_conformal_interval


def _data(n, seed=0):
    """Heavy tails and two outputs; the model knows of neither."""
    rng = np.random.default_rng(seed)
    means = rng.normal(size=(3, n, 2))
    scales = rng.uniform(0.5, 2.0, (n, 2))
    targets = scales * [0.3, 3.0] * rng.standard_t(2, size=(n, 2))
    return means, np.broadcast_to(scales**2, means.shape), targets


def test_intervals_hold_each_output_as_often_as_asked():
    n, splits, covered = 49, 100, []
    means, variances, targets = _data(splits * 300)
    for rows in np.split(np.arange(len(targets)), splits):
        fit, test = rows[:n], rows[n:]
        threshold = fit_conformal_interval(
            RegressionPrediction(means[:, fit], variances[:, fit]), targets[fit], 0.8)
        low, high = RegressionPrediction(
            means[:, test], variances[:, test]).with_interval(
                threshold).conformal_interval
        covered.append(((low <= targets[test]) & (targets[test] <= high)).mean(0))
    error = np.std(covered, axis=0) / np.sqrt(splits)
    assert (error < 0.01).all()
    assert (0.8 - 3 * error < np.mean(covered, axis=0)).all()
    assert (np.mean(covered, axis=0) < 0.82 + 3 * error).all()


def test_threshold_is_a_residual_in_standard_deviations():
    means, targets = np.zeros((1, 9, 1)), np.arange(1.0, 10.0)
    prediction = RegressionPrediction(means, np.full_like(means, 4.0))
    np.testing.assert_allclose(fit_conformal_interval(prediction, targets, 0.9),
                               [9 / 2])
    np.testing.assert_allclose(fit_conformal_interval(prediction, -targets, 0.5),
                               [5 / 2])


def test_too_few_rows_are_refused():
    means, variances, targets = _data(18)
    with pytest.raises(ValueError, match="at least 19 calibration rows"):
        fit_conformal_interval(RegressionPrediction(means, variances), targets, 0.95)
