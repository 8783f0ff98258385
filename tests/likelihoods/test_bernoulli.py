"""Bernoulli likelihood."""

import numpy as np
import pytest

from bdlzoo.likelihoods import Bernoulli

DRAWS = np.array([[[0.0], [2.0]], [[1.0], [-3.0]]], "float32")  # [S, B, 1]


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def test_log_prob_is_the_log_sigmoid():
    expected = np.log([[_sigmoid(-0.0), _sigmoid(2)], [_sigmoid(-1), _sigmoid(-3)]])
    np.testing.assert_allclose(Bernoulli().log_prob([0, 1], DRAWS), expected,
                               atol=1e-6)


def test_mean_is_the_averaged_probability_of_class_one():
    prediction = Bernoulli().prediction(DRAWS)
    np.testing.assert_allclose(prediction.mean, _sigmoid(DRAWS).mean(0), atol=1e-6)
    np.testing.assert_allclose(prediction.probabilities.sum(-1), 1.0, atol=1e-6)
    np.testing.assert_allclose(
        prediction.log_prob([1, 1]), np.log(prediction.mean[:, 0]), atol=1e-6)


def test_extreme_logits_stay_finite():
    prediction = Bernoulli().prediction(np.full((2, 1, 1), 500.0, "float32"))
    assert np.isfinite(prediction.log_prob([0])).all()
    assert np.isfinite(prediction.predictive_entropy).all()


def test_several_outputs_are_refused():
    with pytest.raises(ValueError, match="`categorical`"):
        Bernoulli().build((None, 2))
    with pytest.raises(ValueError, match="from 0 to 1"):
        Bernoulli().check_targets(np.array([0, 2]), (None, 1))


def test_probabilities_are_read_where_logits_are_not():
    likelihood = Bernoulli(from_logits=False)
    np.testing.assert_allclose(
        likelihood.log_prob([0, 1], _sigmoid(DRAWS)),
        Bernoulli().log_prob([0, 1], DRAWS), atol=1e-5)
    np.testing.assert_allclose(likelihood.prediction(_sigmoid(DRAWS)).mean,
                               Bernoulli().prediction(DRAWS).mean, atol=1e-6)
