"""Predictions by quantiles of draws."""

import numpy as np
import pytest

from bdlzoo.core.quantile_curve import QuantileCurve
from bdlzoo.core.quantile_prediction import QuantilePrediction

LEVELS = (0.1, 0.5, 0.9)
VALUES = np.array([[[[-1.0, 0.0, 2.0]]], [[[0.0, 1.0, 2.5]]]])  # [S, B, D, Q]


def _prediction(values=VALUES, scale=1.0):
    return QuantilePrediction(QuantileCurve(values, LEVELS), scale)


def test_one_draw_has_the_quantiles_that_it_was_given():
    np.testing.assert_allclose(_prediction(VALUES[:1]).quantile(LEVELS),
                               VALUES[0], atol=1e-6)


def test_draws_are_mixed_by_probability():
    prediction = _prediction()
    value = prediction.quantile(0.3)
    halves = [float(np.ravel(_prediction(part[None]).cdf(value))[0])
              for part in VALUES]
    np.testing.assert_allclose(np.mean(halves), 0.3, atol=1e-6)
    np.testing.assert_allclose(
        prediction.epistemic[0, 0], prediction.means.numpy().var(), rtol=1e-6)


def test_log_prob_is_the_pinball_loss_with_its_constants():
    levels = np.array(LEVELS)
    gaps = (0.7 - VALUES[0, 0, 0]) / 2.0
    pinball = np.where(gaps > 0, levels, levels - 1.0) * gaps
    expected = np.mean(np.log(levels * (1 - levels) / 2.0) - pinball)
    np.testing.assert_allclose(_prediction(VALUES[:1], 2.0).log_prob([[0.7]]),
                               [expected])


def test_conformal_interval_widens_that_of_the_outermost_levels():
    one = _prediction(VALUES[:1])
    np.testing.assert_allclose(one.with_interval([1.0]).conformal_interval,
                               ([[-1.0]], [[2.0]]), atol=1e-6)
    np.testing.assert_allclose(one.with_interval([2.0]).conformal_interval,
                               ([[-2.0]], [[4.0]]), atol=1e-6)
    np.testing.assert_allclose(one.conformal_scores([[3.0]]), [[1.5]], rtol=1e-6)


def test_quantiles_have_no_temperature():
    with pytest.raises(ValueError, match="no density"):
        _prediction().tempered(2.0)
