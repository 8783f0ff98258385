"""Tests of the uncertainty scores."""

import keras
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from bdlzoo.core.class_prediction import ClassPrediction
from bdlzoo.evaluation import uncertainty_scores as scores
from bdlzoo.likelihoods import Bernoulli, Categorical
from bdlzoo.methods import Deterministic

# Three members, two inputs, three classes: the logits of fixture D1.
LOGITS = np.array([[[2, 0, 0], [0, 1, 0]], [[0, 2, 0], [0, 1, 0]],
                   [[1, 1, 0], [0, 1, 2]]], "float64")


def _prediction(logits=LOGITS):
    return Categorical().prediction(np.asarray(logits, "float64"))


def test_scores_of_draws_are_the_measures_of_the_fixture():
    found = scores.uncertainty_scores(_prediction(), LOGITS)
    assert list(found) == list(scores.NAMES)
    for name, values in {
            "entropy": [0.980486, 1.025987],
            "expected_entropy": [0.782834, 0.927684],
            "mutual_information": [0.197651, 0.098304],
            "variation_ratio": [1 / 3, 1 / 3],
            "total_variance": [0.155146, 0.073369]}.items():
        np.testing.assert_allclose(found[name], values, atol=1e-6)
    mean = LOGITS.mean(0)
    np.testing.assert_allclose(found["max_logit"], -mean.max(-1))
    np.testing.assert_allclose(found["energy"], -np.log(
        np.exp(LOGITS).sum(-1)).mean(0))


def test_max_probability_is_the_log_odds_against_the_label():
    p = _prediction().probabilities.max(-1)
    found = scores.uncertainty_scores(_prediction(), names=["max_probability"])
    np.testing.assert_allclose(found["max_probability"], np.log((1 - p) / p))


def test_max_probability_ranks_where_float32_is_saturated():
    logits = np.zeros([1, 3, 4], "float32")
    logits[0, :, 0] = [30, 60, 90]  # All have a probability of exactly 1.
    prediction = Categorical().prediction(logits)
    assert (prediction.confidence == 1).all()
    odds = scores.uncertainty_scores(prediction)["max_probability"]
    np.testing.assert_allclose(odds, np.log(3) - logits[0, :, 0], rtol=1e-6)


@given(hnp.arrays("float64", (1, 5, 4), elements=st.floats(-9, 9)),
       st.floats(-50, 50))
def test_a_constant_on_all_logits_moves_only_the_level(logits, shift):
    names = scores.NAMES
    plain = scores.uncertainty_scores(_prediction(logits), logits, names)
    moved = scores.uncertainty_scores(
        _prediction(logits + shift), logits + shift, names)
    for name in scores.NAMES:
        level = shift if name in scores.OF_LOGITS else 0.0
        np.testing.assert_allclose(moved[name], plain[name] - level, atol=1e-6)


def test_scores_of_logits_are_left_out_without_them_and_refused_when_asked():
    assert not set(scores.OF_LOGITS) & set(scores.uncertainty_scores(_prediction()))
    with pytest.raises(ValueError, match="returns probabilities"):
        scores.uncertainty_scores(_prediction(), names=["energy"])
    with pytest.raises(ValueError, match="Expected scores among"):
        scores.uncertainty_scores(_prediction(), names=["surprise"])


def test_one_draw_has_no_scores_of_disagreement_unless_asked():
    one = _prediction(LOGITS[:1])
    assert list(scores.uncertainty_scores(one, LOGITS[:1])) == [
        "max_probability", "entropy", "energy", "max_logit"]
    asked = scores.uncertainty_scores(one, names=["mutual_information"])
    np.testing.assert_allclose(asked["mutual_information"], 0.0, atol=1e-12)


@pytest.mark.parametrize("likelihood, outputs, has_logits", [
    (Categorical(), 3, True), (Categorical(from_logits=False), 3, False),
    (Bernoulli(), 1, False)])
def test_judge_knows_which_outputs_are_logits(likelihood, outputs, has_logits):
    network = keras.Sequential([keras.Input((2,)), keras.layers.Dense(
        outputs, None if likelihood.from_logits else "softmax")])
    model = Deterministic(network, likelihood, seed=0)
    prediction, logits = scores.judge(model, np.ones([5, 2], "float32"))
    assert isinstance(prediction, ClassPrediction)
    assert len(prediction.label) == 5
    assert (logits is not None) == has_logits
