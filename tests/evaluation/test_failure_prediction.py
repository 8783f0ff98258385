"""Failure prediction: published figures, the oracles and their guarantees."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bdlzoo.core.class_prediction import ClassPrediction
from bdlzoo.evaluation.failure_prediction import (
    failure_prediction,
    failure_scores,
    tcp,
    tcpr,
)

RNG = np.random.default_rng(0)


def _case(seed, rows=400, classes=5, scale=3.0, spread=2.0):
    """A prediction of labels drawn close to its probabilities."""
    rng = np.random.default_rng(seed)
    logits = scale * rng.normal(size=(rows, classes))
    noisy = logits + spread * rng.gumbel(size=logits.shape)
    prediction = ClassPrediction(
        (logits - np.logaddexp.reduce(logits, -1, keepdims=True))[None])
    labels = noisy.argmax(-1)
    return prediction, labels, prediction.label != labels


def test_eight_rows_by_hand():
    confidence = [.99, .95, .9, .8, .7, .6, .55, .4]
    errors = 1 - np.array([1, 1, 0, 1, 1, 0, 1, 0])
    found = failure_prediction(errors, confidence)
    known = dict(auroc=11 / 15, ap_success=0.852857, ap_errors=0.722222,
                 fpr95=2 / 3)
    for name, value in known.items():
        assert found[name] == pytest.approx(value, abs=1e-6), name
    # The mean of 0, 0, 1/3, 1/4, 1/5, 2/6, 2/7, 3/8, and what is above the best.
    risk = np.mean([0, 0, 1 / 3, 1 / 4, 1 / 5, 2 / 6, 2 / 7, 3 / 8])
    assert found["aurc"] == pytest.approx(risk)
    assert found["e_aurc"] == pytest.approx(
        risk - (3 / 8 + 5 / 8 * np.log(5 / 8)))
    assert set(found) == {*known, "aurc", "e_aurc"}


@pytest.mark.parametrize("errors", [np.zeros(5, bool), np.ones(5, bool)])
def test_all_right_or_all_wrong_is_refused(errors):
    with pytest.raises(ValueError, match="one class is missing"):
        failure_prediction(errors, np.arange(5.0))


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 8), st.floats(0.1, 20.0))
def test_true_class_is_never_surer_than_the_predicted_one(seed, classes, scale):
    prediction, labels, wrong = _case(seed, 50, classes, scale)
    true = tcp(prediction, labels)
    largest = failure_scores(prediction)["max_probability"]
    np.testing.assert_array_equal(true[~wrong], largest[~wrong])
    assert (true[wrong] < largest[wrong]).all()
    ratio = tcpr(prediction, labels)
    assert (ratio[~wrong] == 1.0).all() and (ratio[wrong] < 1.0).all()
    odds_of_chance = np.log(1 / (classes - 1))  # Of a probability of 1 / C.
    assert not wrong[true > 0.0].any()
    assert wrong[true < odds_of_chance - 1e-9].all()


def test_log_odds_of_the_true_class_have_its_probability():
    prediction, labels, _ = _case(1)
    probs = np.asarray(prediction.mean)[np.arange(len(labels)), labels]
    np.testing.assert_allclose(1 / (1 + np.exp(-tcp(prediction, labels))), probs,
                               rtol=1e-9)
    best = np.asarray(prediction.mean).max(-1)
    np.testing.assert_allclose(tcpr(prediction, labels), probs / best, rtol=1e-9)


def test_ratio_is_a_perfect_oracle_and_the_true_class_nearly():
    prediction, labels, wrong = _case(2)
    scores = failure_scores(prediction, labels)
    perfect = failure_prediction(wrong, scores["tcpr"])
    assert perfect["auroc"] == perfect["ap_errors"] == perfect["ap_success"] == 1.0
    assert perfect["fpr95"] == 0.0
    assert 0.0 <= perfect["e_aurc"] <= 1 / len(wrong)
    nearly = failure_prediction(wrong, scores["tcp"])["auroc"]
    plain = failure_prediction(wrong, scores["max_probability"])["auroc"]
    assert 0.6 < plain < 0.9 < nearly < 1.0
    between = (np.exp(prediction.log_prob(labels)) >= 0.2) & (scores["tcp"] <= 0)
    sure = ~between  # Where no row is between 1/C and 1/2, it is perfect too.
    assert failure_prediction(wrong[sure], scores["tcp"][sure])["auroc"] == 1.0


def test_random_confidence_is_worth_the_error_rate():
    errors = RNG.random(40_000) < 0.1
    found = failure_prediction(errors, RNG.random(40_000))
    assert found["auroc"] == pytest.approx(0.5, abs=0.015)
    assert found["ap_errors"] == pytest.approx(0.1, abs=0.01)
    assert found["ap_success"] == pytest.approx(0.9, abs=0.01)
    assert found["fpr95"] == pytest.approx(0.95, abs=0.02)
    assert found["aurc"] == pytest.approx(0.1, abs=0.01)


def test_confidence_does_not_saturate():
    """In float32 all of these maximum probabilities are exactly 1."""
    logits = np.zeros((6, 3), "float32")
    logits[:, 0] = np.arange(20, 80, 10)
    log_probs = logits - np.logaddexp.reduce(logits, -1, keepdims=True)
    prediction = ClassPrediction(log_probs[None])
    assert (np.asarray(prediction.confidence) == 1.0).all()
    scores = failure_scores(prediction, np.zeros(6, int))
    for name in ("max_probability", "entropy", "tcp"):
        assert (np.diff(scores[name]) > 0).all(), name


def test_entropy_is_that_of_the_averaged_probabilities():
    draws = np.log([[[0.9, 0.1]], [[0.1, 0.9]]])
    scores = failure_scores(ClassPrediction(draws), names=["entropy"])
    np.testing.assert_allclose(scores["entropy"], -np.log(2), rtol=1e-6)
    assert set(scores) == {"entropy"}


def test_labels_that_do_not_fit_are_refused():
    prediction, labels, _ = _case(3)
    with pytest.raises(ValueError, match="one label for each row"):
        tcp(prediction, labels[:-1])
    with pytest.raises(ValueError, match="classes from 0 to 4"):
        tcpr(prediction, labels + 1)
