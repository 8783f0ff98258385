"""Measures of class predictions against fixtures and identities."""

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings, strategies

from bdlzoo.core.class_prediction import BinaryPrediction, ClassPrediction
from bdlzoo.core.conformal import SetRule

LOGITS = np.array([[[2, 0, 0], [0, 1, 0]], [[0, 2, 0], [0, 1, 0]],
                   [[1, 1, 0], [0, 1, 2]]], "float64")  # [S, B, C]


def _classes(logits):
    return ClassPrediction(tf.nn.log_softmax(tf.constant(logits)))


def test_class_measures_match_the_fixture():
    prediction = _classes(LOGITS)
    for name, values in {
            "mean": [[0.438604, 0.438604, 0.122792],
                     [0.171305, 0.465654, 0.363041]],
            "predictive_entropy": [0.980486, 1.025987],
            "expected_entropy": [0.782834, 0.927684],
            "mutual_information": [0.197651, 0.098304],
            "mean_variation_ratio": [0.561396, 0.534346],
            "variation_ratio": [1 / 3, 1 / 3],
            "mean_std": [0.193039, 0.142458],
            "total_variance": [0.155146, 0.073369],
            "label": [0, 1]}.items():
        np.testing.assert_allclose(getattr(prediction, name), values, atol=2e-6)


def test_draws_that_disagree_for_certain_are_all_model_uncertainty():
    with np.errstate(divide="ignore"):
        log_probs = np.log(np.array([[[1.0, 0.0]], [[0.0, 1.0]]]))
    prediction = ClassPrediction(log_probs)
    np.testing.assert_allclose(prediction.mutual_information, np.log(2))
    np.testing.assert_allclose(prediction.predictive_entropy, np.log(2))
    np.testing.assert_allclose(prediction.expected_entropy, 0.0)
    assert prediction.variation_ratio[0] == prediction.mean_variation_ratio[0] == 0.5


def test_draws_that_agree_are_all_data_uncertainty():
    prediction = _classes(np.zeros((5, 1, 2)))
    np.testing.assert_allclose(prediction.mutual_information, 0.0, atol=1e-12)
    np.testing.assert_allclose(prediction.expected_entropy, np.log(2))


@settings(max_examples=30, deadline=None)
@given(strategies.integers(0, 2**31), strategies.integers(1, 6),
       strategies.integers(2, 5), strategies.floats(0.1, 300.0))
def test_class_identities_hold(seed, num_draws, num_classes, scale):
    logits = scale * np.random.default_rng(seed).normal(
        size=(num_draws, 4, num_classes)).astype("float32")
    p = _classes(logits)
    np.testing.assert_allclose(
        p.predictive_entropy, p.expected_entropy + p.mutual_information, atol=1e-5)
    assert (p.mutual_information >= -1e-6).all()
    assert (p.mutual_information <= min(np.log(num_draws), np.log(num_classes))
            + 1e-5).all()
    shifted = _classes(logits[::-1] + 7.0)  # Order and a constant change nothing.
    twice = _classes(np.concatenate([logits, logits]))
    for name in ("mean", "mutual_information", "variation_ratio", "mean_std"):
        np.testing.assert_allclose(getattr(p, name), getattr(shifted, name), atol=1e-4)
        np.testing.assert_allclose(getattr(p, name), getattr(twice, name), atol=1e-4)
    if num_draws == 1:
        np.testing.assert_allclose(p.mutual_information, 0.0, atol=1e-6)


def test_temperature_moves_the_mean_and_not_the_draws():
    plain, warm = _classes(LOGITS), _classes(LOGITS).tempered(2.0)
    expected = plain.mean**0.5 / (plain.mean**0.5).sum(-1, keepdims=True)
    np.testing.assert_allclose(warm.mean, expected)
    np.testing.assert_array_equal(warm.label, plain.label)
    np.testing.assert_allclose(warm.mutual_information, plain.mutual_information)
    np.testing.assert_allclose(
        warm.predictive_entropy, warm.expected_entropy + warm.mutual_information)


def test_log_prob_reads_the_averaged_probability():
    prediction = _classes(LOGITS)
    np.testing.assert_allclose(prediction.log_prob(np.array([[2], [1]])),
                               np.log([0.122792, 0.465654]), atol=1e-5)


def test_binary_mean_is_that_of_class_one():
    log_probs = np.log([[[0.2, 0.8]], [[0.6, 0.4]]])
    prediction = BinaryPrediction(log_probs)
    np.testing.assert_allclose(prediction.mean, [[0.6]])
    np.testing.assert_allclose(prediction.probabilities, [[0.4, 0.6]])


def test_equal_scales_are_a_temperature():
    np.testing.assert_allclose(
        _classes(LOGITS).scaled([0.5] * 3, [0.0] * 3).mean,
        _classes(LOGITS).tempered(2.0).mean, rtol=1e-12)


def test_shift_is_a_ratio_of_odds():
    plain = _classes(LOGITS)
    shifted = plain.scaled([1.0] * 3, np.log([2.0, 1.0, 1.0])).mean
    np.testing.assert_allclose(shifted[:, 0] / shifted[:, 1],
                               2 * plain.mean[:, 0] / plain.mean[:, 1])


def test_curves_are_numpy_interpolation_made_to_sum_to_one():
    rng = np.random.default_rng(0)
    # Some knots coincide: the curve jumps there.
    knots = np.sort(rng.uniform(size=(3, 6)).round(1), axis=1)
    knots[:, 0], knots[:, -2:] = 0.0, 1.0
    values = np.sort(rng.uniform(0.01, 1.0, (3, 6)), axis=1)
    values[:, -1] = values[:, -2]
    plain = _classes(rng.normal(size=(1, 40, 3)))
    curves = np.stack([np.interp(plain.mean[:, c], knots[c], values[c])
                       for c in range(3)], axis=1)
    np.testing.assert_allclose(plain.mapped(knots, values).mean,
                               curves / curves.sum(1, keepdims=True))


def test_class_without_probability_keeps_a_finite_logarithm():
    prediction = _classes(np.array([[[0.0, 2000.0]]])).mapped(
        [[0.0, 1.0]] * 2, [[0.0, 1.0]] * 2)
    assert np.isfinite(prediction.log_prob([0])).all()


def test_set_is_what_scores_at_most_the_threshold():
    prediction = _classes(LOGITS)
    rule = SetRule(threshold=-np.log(0.4))
    covered = prediction.with_sets(prediction.log_mean, rule, np.zeros(2))
    np.testing.assert_array_equal(covered.prediction_set, prediction.mean >= 0.4)
    np.testing.assert_array_equal(covered.set_size, [2, 1])
    assert covered.prediction_set.dtype == bool
    assert "prediction_set" in covered.measures(covering=True)
    for name in ("prediction_set", "set_size"):
        with pytest.raises(ValueError, match="model.calibrate"):
            getattr(prediction, name)


def test_cross_entropy_is_least_against_itself_and_then_the_entropy():
    rng = np.random.default_rng(0)
    draws = tf.nn.log_softmax(rng.normal(size=(3, 4, 5)))
    classes = ClassPrediction(draws)
    np.testing.assert_allclose(classes.cross_entropy(classes),
                               classes.predictive_entropy, rtol=1e-6)
    other = ClassPrediction(draws[:1])
    gap = tf.reduce_sum(classes.probabilities * (classes.log_mean - other.log_mean), 1)
    np.testing.assert_allclose(
        classes.cross_entropy(other), classes.predictive_entropy + gap, rtol=1e-6)


def test_class_prediction_is_shown_as_a_table():
    assert repr(_classes(LOGITS)).splitlines() == [
        "ClassPrediction (rows: 2, draws: 3, classes: 3)",
        "row  label  probability  entropy  mutual_information",
        "  0      0       0.4386   0.9805              0.1977",
        "  1      1       0.4657    1.026              0.0983"]


def test_table_shows_the_calibrated_probability():
    prediction = _classes(LOGITS).tempered(0.5)
    shown = repr(prediction).splitlines()[3].split()
    assert shown[2] == f"{prediction.confidence[1]:.4g}" != "0.4657"


def test_table_of_many_rows_is_cut_and_computed_for_those_shown():
    prediction = _classes(np.zeros((2, 100, 3)))
    lines = repr(prediction).splitlines()
    assert lines[0] == "ClassPrediction (rows: 100, draws: 2, classes: 3)"
    assert [line.split()[0] for line in lines[2:]] == ["0", "1", "2", "3", "4", "..."]
    assert "mutual_information" not in vars(prediction)


def test_prediction_of_maps_shows_places():
    title, heads, *lines = repr(_classes(np.zeros((2, 5, 2, 4, 3)))).split("\n")
    assert title == ("ClassPrediction (rows: 5, positions: 2 x 4, draws: 2, "
                     "classes: 3)")
    assert heads.split()[:3] == ["row", "position_1", "position_2"]
    assert [line.split()[:3] for line in lines[3:5]] == [
        ["0", "0", "3"], ["0", "1", "0"]] and lines[-1] == "..."


def test_positions_as_rows_keep_mean_and_sets():
    logits = np.random.default_rng(0).normal(size=(4, 3, 5, 6))
    rule = SetRule(0.7, cumulative=1.0)
    uniforms = np.array([0.2, 0.6, 0.9])
    maps = _classes(logits)
    maps = maps.with_sets(maps.tempered(2.0).log_mean, rule, uniforms)
    rows = maps.rows()
    assert rows.probabilities.shape == (15, 6) and maps.set_size.shape == (3, 5)
    for name in ("probabilities", "mutual_information", "prediction_set"):
        whole = getattr(maps, name)
        np.testing.assert_array_equal(getattr(rows, name),
                                      whole.reshape(15, *whole.shape[2:]))
    # The first position has the number of its row.
    alone = _classes(logits[:, :, 0]).with_sets(maps.log_mean[:, 0], rule, uniforms)
    np.testing.assert_array_equal(alone.prediction_set, maps.prediction_set[:, 0])
