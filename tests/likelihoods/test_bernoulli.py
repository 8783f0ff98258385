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


def test_targets_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="3 target.* with 2 on the last axis"):
        Bernoulli().check_targets(np.zeros((4, 2)), (None, 3))
    with pytest.raises(ValueError, match="0 axes of positions"):
        Bernoulli().check_targets(np.zeros(4), (None, 3))
    with pytest.raises(ValueError, match="from 0 to 1"):
        Bernoulli().check_targets(np.array([0, 2]), (None, 1))


def test_probabilities_are_read_where_logits_are_not():
    likelihood = Bernoulli(from_logits=False)
    np.testing.assert_allclose(
        likelihood.log_prob([0, 1], _sigmoid(DRAWS)),
        Bernoulli().log_prob([0, 1], DRAWS), atol=1e-5)
    np.testing.assert_allclose(likelihood.prediction(_sigmoid(DRAWS)).mean,
                               Bernoulli().prediction(DRAWS).mean, atol=1e-6)


def test_several_labels_are_as_many_models_of_one_label():
    rng = np.random.default_rng(0)
    draws = rng.normal(size=(5, 4, 3)).astype("float32")
    targets = rng.integers(0, 2, (4, 3))
    Bernoulli().check_targets(targets, (None, 3))
    found, both = Bernoulli().log_prob(targets, draws), Bernoulli().prediction(draws)
    assert found.shape == (5, 4, 3) and both.mean.shape == (4, 3)
    assert both.rows().mean.shape == (12, 1)
    for label in range(3):
        one = Bernoulli().prediction(draws[..., label:label + 1])
        np.testing.assert_allclose(found[..., label], Bernoulli().log_prob(
            targets[:, label], draws[..., label:label + 1]), atol=1e-6)
        np.testing.assert_allclose(both.mean[:, label], one.mean[:, 0], atol=1e-6)
        for measure in ("label", "predictive_entropy", "mutual_information"):
            np.testing.assert_allclose(getattr(both, measure)[:, label],
                                       getattr(one, measure), atol=1e-6)
        np.testing.assert_allclose(both.log_prob(targets)[:, label],
                                   one.log_prob(targets[:, label]), atol=1e-6)


def test_positions_with_one_label_are_rows():
    rng = np.random.default_rng(0)
    draws = rng.normal(size=(5, 4, 6, 1)).astype("float32")
    targets = rng.integers(0, 2, (4, 6)).astype(bool)
    flat = draws.reshape(5, 24, 1)
    for form in (targets, targets[..., None]):
        Bernoulli().check_targets(form, (None, 6, 1))
        np.testing.assert_allclose(
            np.reshape(Bernoulli().log_prob(form, draws), (5, 24)),
            Bernoulli().log_prob(targets.ravel(), flat), atol=1e-6)
    prediction = Bernoulli().prediction(draws)
    assert prediction.mean.shape == (4, 6, 1) and prediction.label.shape == (4, 6)
