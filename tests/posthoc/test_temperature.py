"""Temperature: the fixture, the optimum and its limits."""

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core.class_prediction import ClassPrediction
from bdlzoo.core.regression_prediction import RegressionPrediction
from bdlzoo.posthoc import fit_temperature

LOGITS = np.array([[2, 0, 0], [0, 3, 0], [1, .5, 0], [0, 0, 4], [.2, 0, 0],
                   [2.5, 2, 0]], "float64")
LABELS = np.array([0, 1, 1, 2, 0, 2])


def _prediction(logits):
    return ClassPrediction(tf.nn.log_softmax(tf.constant(logits[None])))


def test_fixture():
    temperature = fit_temperature(_prediction(LOGITS), LABELS)
    np.testing.assert_allclose(temperature, 1.609692, atol=1e-6)
    best = _prediction(LOGITS).tempered(temperature)
    np.testing.assert_allclose(-np.mean(best.log_prob(LABELS)), 0.874373, atol=1e-6)


@pytest.mark.parametrize("factor", [0.2, 5.0])
def test_scaling_logits_scales_the_temperature(factor):
    np.testing.assert_allclose(
        fit_temperature(_prediction(factor * LOGITS), LABELS), factor * 1.609692,
        rtol=1e-5)


def test_expected_logit_equals_that_of_the_true_class_at_the_optimum():
    best = _prediction(LOGITS).tempered(
        fit_temperature(_prediction(LOGITS), LABELS))
    expected = (best.mean * LOGITS).sum(-1).mean()
    np.testing.assert_allclose(expected, LOGITS[np.arange(6), LABELS].mean(),
                               atol=1e-6)


def test_draws_are_pooled_before_they_are_calibrated():
    rng = np.random.default_rng(0)
    logits = 3.0 * rng.normal(size=(5, 200, 3))
    labels = rng.integers(0, 3, 200)
    draws = ClassPrediction(tf.nn.log_softmax(tf.constant(logits)))
    pooled = ClassPrediction(draws.log_mixture[None])
    np.testing.assert_allclose(fit_temperature(draws, labels),
                               fit_temperature(pooled, labels), rtol=1e-8)


def test_all_right_keeps_the_temperature_at_one(caplog):
    assert fit_temperature(_prediction(LOGITS), LOGITS.argmax(-1)) == 1.0
    assert "stays at 1" in caplog.text


def test_one_gaussian_is_stretched_to_its_residuals():
    """With one draw the optimum is the root mean square of residual / std."""
    rng = np.random.default_rng(0)
    means, targets = rng.normal(size=(1, 300, 1)), 3.0 * rng.normal(size=(300, 1))
    prediction = RegressionPrediction(means, np.full_like(means, 0.25))
    np.testing.assert_allclose(
        fit_temperature(prediction, targets),
        np.sqrt((((targets - means[0]) / 0.5)**2).mean()), rtol=1e-6)
