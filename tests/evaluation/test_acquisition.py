"""Scores against the fixture and closed forms; choices against their law."""

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.core.class_prediction import ClassPrediction
from bdlzoo.core.regression_prediction import RegressionPrediction
from bdlzoo.evaluation import acquisition

KEY = noise.key(7)
LOGITS = np.array([[[2, 0, 0], [0, 1, 0]], [[0, 2, 0], [0, 1, 0]],
                   [[1, 1, 0], [0, 1, 2]]], "float64")  # [S, N, C]


def _prediction(logits):
    return ClassPrediction(tf.nn.log_softmax(logits))


def _agreeing(rows, draws=4):
    """Draws that are all the same, rows that are not."""
    logits = noise.normal([1, rows, 10], noise.key(1)).numpy()
    return _prediction(np.repeat(logits, draws, axis=0))


@pytest.mark.parametrize("name, scores", [
    ("entropy", [0.980486, 1.025987]),
    ("bald", [0.197651, 0.098304]),
    ("variation_ratio", [1 / 3, 1 / 3]),
    ("mean_std", [0.193039, 0.142458]),
    ("margin", [0.0, 0.363041 - 0.465654])])
def test_scores_are_those_of_the_fixture(name, scores):
    found = acquisition.SCORES[name](_prediction(LOGITS), KEY)
    np.testing.assert_allclose(found, scores, atol=1e-6)


@pytest.mark.parametrize("name", ["entropy", "bald", "mean_std", "margin"])
def test_the_highest_score_comes_first(name):
    prediction = _prediction(3.0 * noise.normal([8, 50, 4], noise.key(3)))
    rows = acquisition.choose(name, prediction, 50, KEY)
    assert sorted(rows) == list(range(50))
    scores = np.asarray(acquisition.SCORES[name](prediction))[rows]
    assert (np.diff(scores) <= 1e-6).all() and scores[0] > scores[-1]
    np.testing.assert_array_equal(
        acquisition.choose(name, prediction, 5, KEY), rows[:5])


def test_bald_is_never_negative():
    """Nearly one-hot rows, where rounding is as large as what is measured."""
    logits = 30.0 * noise.normal([1, 2000, 10], noise.key(2)) + (
        1e-3 * noise.normal([16, 2000, 10], noise.key(3)))
    assert acquisition.bald(_prediction(logits)).min() >= 0.0


@pytest.mark.parametrize("name", ["bald", "mean_std", "power_bald", "batch_bald"])
def test_model_without_disagreement_chooses_at_random(name):
    """Another key, other rows; and each row as often as any other."""
    prediction = _agreeing(rows=10)
    hits = np.zeros(10)
    for trial in range(50):
        hits[acquisition.choose(name, prediction, 3, noise.key(trial))] += 1
    # 15 expected with standard deviation sqrt(50 * 0.3 * 0.7) = 3.2.
    assert abs(hits - 15).max() < 13


@pytest.mark.parametrize("name", ["random", "entropy"])
def test_ties_do_not_go_by_the_order_of_rows(name):
    prediction = _prediction(np.zeros([2, 100, 3]))
    first, again, other = (acquisition.choose(name, prediction, 10, noise.key(s))
                           for s in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert set(first) != set(range(10)) and set(first) != set(other)


def _first_rows(logits, beta, trials=4000):
    """How often each row comes first: a pool of so many copies of the rows."""
    prediction = _prediction(np.tile(logits, [1, trials, 1]))
    scores = acquisition.power_bald(prediction, KEY, beta).reshape(trials, -1)
    assert np.isfinite(scores).all()
    return np.bincount(scores.argmax(axis=1), minlength=scores.shape[1]) / trials


def test_power_draws_by_the_power_of_the_score():
    """Standard error of a share of 4000 is at most 0.008."""
    bald = acquisition.bald(_prediction(LOGITS))
    for beta in (0.0, 1.0, 3.0):
        np.testing.assert_allclose(_first_rows(LOGITS, beta),
                                   bald**beta / np.sum(bald**beta), atol=0.03)


def test_power_of_zero_scores_is_finite_and_uniform():
    agreeing = LOGITS[:1].repeat(3, axis=0)
    for beta in (0.0, 1.0):
        np.testing.assert_allclose(_first_rows(agreeing, beta), 0.5, atol=0.03)


def test_rows_of_zero_score_come_last_by_power():
    """Three rows that disagree, three that do not."""
    logits = np.concatenate([LOGITS[:, :1]] * 3 + [LOGITS[:1, :1].repeat(3, 0)] * 3,
                            axis=1)
    for seed in range(5):
        rows = acquisition.choose("power_bald", _prediction(logits), 6,
                                  noise.key(seed))
        assert set(rows[:3]) == {0, 1, 2}


def test_batch_bald_is_chosen_by_its_name():
    """Beside a row, its copy is worth less than another one (fixture D10)."""
    probs = np.array([[[.9, .1], [.9, .1], [.8, .2]],
                      [[.1, .9], [.1, .9], [.3, .7]]])
    probs = np.concatenate([probs, probs[:, ::-1]], axis=1)
    prediction = ClassPrediction(np.log(probs))
    rows = acquisition.choose("batch_bald", prediction, 1, KEY)
    assert rows[0] in (0, 1, 4, 5)
    assert set(acquisition.NAMES) == {*acquisition.SCORES, "batch_bald"}


def test_what_cannot_be_chosen_is_refused():
    prediction = _prediction(LOGITS)
    with pytest.raises(ValueError, match="variation_ratio.*Received: .*'blad'"):
        acquisition.choose("blad", prediction, 1, KEY)
    with pytest.raises(ValueError, match="Received: count=3"):
        acquisition.choose("bald", prediction, 3, KEY)
    with pytest.raises(ValueError, match="RegressionPrediction"):
        acquisition.choose("bald", RegressionPrediction(
            np.zeros([2, 3, 1]), np.ones([2, 3, 1])), 1, KEY)
    with pytest.raises(ValueError, match="NaN"):
        acquisition.choose("bald", _prediction(LOGITS * np.nan), 1, KEY)
