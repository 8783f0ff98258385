"""Prediction sets: their coverage from fit to answer, and their definition."""

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core.class_prediction import ClassPrediction
from bdlzoo.posthoc import fit_conformal_sets


def _data(n, seed=0):
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(n, 4))
    labels = (logits + rng.gumbel(size=logits.shape)).argmax(-1)
    draws = 3.0 * logits + rng.normal(size=(2, n, 4))
    return np.asarray(tf.nn.log_softmax(draws)), labels, rng.uniform(size=n)


@pytest.mark.parametrize("method", ["lac", "aps", "raps"])
def test_sets_hold_the_true_class_as_often_as_asked(method):
    n, splits, covered = 99, 60, []
    log_probs, labels, uniforms = _data(splits * 400)
    for rows in np.split(np.arange(len(labels)), splits):
        fit, test = rows[:n], rows[n:]
        rule = fit_conformal_sets(ClassPrediction(log_probs[:, fit]), labels[fit],
                                  uniforms[fit], method, 0.8)
        plain = ClassPrediction(log_probs[:, test])
        sets = plain.with_sets(plain.log_mean, rule, uniforms[test]).prediction_set
        covered.append(sets[np.arange(len(test)), labels[test]].mean())
    error = np.std(covered) / np.sqrt(splits)
    assert error < 0.008
    assert 0.8 - 3 * error < np.mean(covered) < 0.81 + 3 * error


def test_lac_sets_by_definition():
    log_probs, labels, uniforms = _data(199)
    prediction = ClassPrediction(log_probs)
    rule = fit_conformal_sets(prediction, labels, uniforms, "lac", 0.9)
    least = np.sort(prediction.mean[np.arange(199), labels])[::-1][180 - 1]
    sets = prediction.with_sets(prediction.log_mean, rule, uniforms).prediction_set
    np.testing.assert_array_equal(sets, prediction.mean >= least)


def test_raps_without_penalty_is_aps_and_with_one_has_no_long_sets():
    log_probs, labels, uniforms = _data(3000)
    prediction = ClassPrediction(log_probs)

    def fit(method, **kwargs):
        rule = fit_conformal_sets(prediction, labels, uniforms, method, 0.9,
                                  **kwargs)
        return rule, prediction.with_sets(prediction.log_mean, rule, uniforms)

    aps, aps_sets = fit("aps")
    raps, raps_sets = fit("raps", penalty=0.0, free_rank=3)
    assert raps.threshold == aps.threshold and aps.cumulative == 1.0
    np.testing.assert_array_equal(aps_sets.prediction_set, raps_sets.prediction_set)
    _, short = fit("raps", penalty=1.0, free_rank=3)
    assert aps_sets.set_size.max() == 4 and short.set_size.max() == 3


def test_rows_that_tie_do_not_part_by_rounding():
    probs = np.tile([0.7, 0.2, 0.1], (1, 100, 1))
    rule = fit_conformal_sets(ClassPrediction(np.log(probs)), np.zeros(100),
                              np.zeros(100), "lac", 0.9)
    shaken = ClassPrediction(np.log(probs - 1e-7))
    assert shaken.with_sets(
        shaken.log_mean, rule, np.zeros(100)).prediction_set[:, 0].all()


def test_negative_penalty_is_refused():
    log_probs, labels, uniforms = _data(50)
    with pytest.raises(ValueError, match="penalty=-1"):
        fit_conformal_sets(ClassPrediction(log_probs), labels, uniforms, "raps",
                           penalty=-1)
