"""Negative log-likelihood of probabilities and of predictions."""

import numpy as np
import pytest
import scipy.special

from bdlzoo.core.class_prediction import ClassPrediction
from bdlzoo.core.regression_prediction import RegressionPrediction
from bdlzoo.metrics.negative_log_likelihood import NegativeLogLikelihood

LOGITS = [[2, 0, 0], [0, 3, 0], [1, 0.5, 0], [0, 0, 4], [0.2, 0, 0], [2.5, 2, 0]]
LABELS = np.array([0, 1, 1, 2, 0, 2])


def _nll(*rows):
    metric = NegativeLogLikelihood()
    metric.update_state(*rows)
    return float(metric.result())


def test_six_rows_give_the_known_value():
    probabilities = scipy.special.softmax(LOGITS, axis=-1)
    assert _nll(LABELS, probabilities) == pytest.approx(0.924073, abs=1e-5)


def test_zero_is_finite_and_small_values_are_kept_apart():
    assert _nll([1], [[1.0, 0.0]]) == pytest.approx(87.3365, abs=1e-3)
    assert _nll([1], [[1.0, 1e-30]]) == pytest.approx(69.0776, abs=1e-3)


def test_not_a_number_is_not_hidden():
    assert np.isnan(_nll([0], [[np.nan, 1.0]]))


def test_class_prediction_equals_its_probabilities():
    logs = scipy.special.log_softmax(
        np.random.default_rng(0).normal(size=(4, 6, 3)), axis=-1)
    prediction = ClassPrediction(logs.astype("float32"))
    weights = np.arange(6.0)[:, None]
    assert _nll(LABELS, prediction, weights) == pytest.approx(
        _nll(LABELS, np.exp(logs).mean(axis=0), weights), abs=1e-5)


def test_regression_prediction_is_read_as_a_mixture():
    """Means 1, 2, 3 and variances 0.5, 0.4, 0.6 at 2."""
    means = np.array([1, 2, 3], "float32").reshape(3, 1, 1)
    variances = np.array([0.5, 0.4, 0.6], "float32").reshape(3, 1, 1)
    prediction = RegressionPrediction(means, variances)
    for target in ([2.0], [[2.0]]):
        assert _nll(target, prediction) == pytest.approx(1.038299, abs=1e-5)


def test_prediction_rows_are_weighted():
    means = np.zeros((1, 2, 1), "float32")
    prediction = RegressionPrediction(means, means + 1.0)
    first = 0.5 * np.log(2 * np.pi)
    assert _nll([0.0, 1.0], prediction, [[3.0], [1.0]]) == pytest.approx(
        first + 0.5 / 4, abs=1e-5)


def test_asks_for_the_prediction():
    assert NegativeLogLikelihood.reads_prediction
