"""Conformal scores by hand, and coverage that is exact over many splits."""

import numpy as np
import pytest
import scipy.special
import tensorflow as tf

from bdlzoo.core import conformal
from bdlzoo.core.conformal import SetRule

PROBS = np.array([[0.2, 0.5, 0.3]])
LAC, APS = SetRule(np.inf), SetRule(np.inf, cumulative=1.0)


def _scores(probs, uniforms, rule):
    return _linear(tf.math.log(probs), uniforms, rule)


def _linear(log_probs, uniforms, rule):
    surprise, extra = conformal.class_scores(log_probs, uniforms, rule)
    return (1.0 + extra - tf.exp(-surprise)).numpy()


def _in_double(logits, uniforms, cumulative=0.0, penalty=0.0, free_rank=0.0):
    """Surprise and extra in float64, by sums that begin with the smallest."""
    logits = np.asarray(logits, "float64")
    log_probs = logits - scipy.special.logsumexp(logits, axis=-1, keepdims=True)
    order = np.argsort(-log_probs, axis=-1, kind="stable")
    ranked = np.take_along_axis(log_probs, order, axis=-1)
    sums = np.logaddexp.accumulate(ranked[:, ::-1], axis=-1)[:, ::-1]
    below = np.c_[sums[:, 1:], np.full(len(sums), -np.inf)]
    keep = np.log1p(-np.asarray(uniforms, "float64"))[:, None]
    # The first one from the sum of the others, which is small.
    lac = np.where(np.arange(logits.shape[1]) == 0, -np.log1p(-np.exp(below)), -ranked)
    surprise = -np.logaddexp(below, keep + ranked) if cumulative else lac
    extra = penalty * np.maximum(0, np.arange(logits.shape[1]) + 1 - free_rank)
    place = np.argsort(order, axis=-1)
    return np.take_along_axis(surprise, place, axis=-1), extra[place]


def _sure(n, scale, seed=0):
    """Logits in float32 of a sure model that errs in a third of the rows."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(n, 6))
    labels = (logits + rng.gumbel(size=logits.shape)).argmax(-1)
    return ((scale * logits).astype("float32"), labels,
            rng.uniform(size=n).astype("float32"))


def _over_confident(shape, num_classes=4, seed=0):
    """Labels from one law, and a model that exaggerates it and errs."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(*shape, num_classes))
    gumbels = rng.gumbel(size=logits.shape)
    model = 3.0 * logits + rng.normal(size=logits.shape)
    return tf.nn.log_softmax(model), (logits + gumbels).argmax(-1), rng


def test_scores_by_hand():
    np.testing.assert_allclose(_scores(PROBS, [0.9], LAC), [[0.8, 0.5, 0.7]])
    np.testing.assert_allclose(_scores(PROBS, [0.25], APS),
                               [[0.8 + 0.05, 0.125, 0.5 + 0.075]])
    rule = SetRule(np.inf, 1.0, penalty=0.1, free_rank=1.0)
    np.testing.assert_allclose(_scores(PROBS, [0.25], rule),
                               [[0.85 + 0.2, 0.125, 0.575 + 0.1]])
    np.testing.assert_allclose(_scores(PROBS, [0.25], rule._replace(free_rank=2)),
                               [[0.85 + 0.1, 0.125, 0.575]])


def test_no_penalty_leaves_aps():
    log_probs, _, rng = _over_confident((50,))
    uniforms = rng.uniform(size=50)
    np.testing.assert_array_equal(
        conformal.class_scores(log_probs, uniforms, APS),
        conformal.class_scores(log_probs, uniforms,
                               SetRule(np.inf, 1.0, penalty=0.0, free_rank=2.0)))


def test_classes_that_tie_follow_one_another():
    np.testing.assert_allclose(_scores(np.full((1, 4), 0.25), [1.0], APS),
                               [[0.25, 0.5, 0.75, 1.0]])


@pytest.mark.parametrize("rule", [LAC, APS, SetRule(np.inf, 1.0, 0.2, 1.0)])
@pytest.mark.parametrize("level", [0.9, 0.7])
def test_coverage_is_exact_over_many_splits(rule, level):
    """Its mean is ceil((n + 1) level) / (n + 1): 0.906 for n = 31, not 0.875."""
    splits, n, num_test = 4000, 31, 30
    log_probs, labels, rng = _over_confident((splits * (n + num_test),))
    scores = _linear(log_probs, rng.uniform(size=len(labels)), rule)
    scores = scores[np.arange(len(labels)), labels].reshape(splits, -1)
    limits = conformal.threshold(scores[:, :n].T, level)
    covered = (scores[:, n:] <= limits[:, None]).mean(axis=1)
    error = covered.std() / np.sqrt(splits)
    assert error < 0.002
    np.testing.assert_allclose(
        covered.mean(), np.ceil((n + 1) * level) / (n + 1), atol=4 * error)
    assert level - 4 * error < covered.mean() < level + 1 / (n + 1) + 4 * error


@pytest.mark.parametrize("scale", [1.0, 50.0, 1000.0])
@pytest.mark.parametrize("rule", [LAC, APS, SetRule(np.inf, 1.0, 0.01, 1.0)])
def test_scores_of_a_sure_model_are_those_of_float64(rule, scale):
    """In float32 `1 - p` of these classes is 1, and all of them tie."""
    logits, _, uniforms = _sure(40, scale)
    found = conformal.class_scores(tf.nn.log_softmax(logits), uniforms, rule)
    expected = _in_double(logits, uniforms, *rule[1:4])
    np.testing.assert_allclose(found[0], expected[0], rtol=2e-6 * max(scale, 10.0),
                               atol=1e-37)
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-6)


@pytest.mark.parametrize("level", [0.5, 0.9])
@pytest.mark.parametrize("rule", [LAC, APS, SetRule(np.inf, 1.0, 0.01, 1.0)])
def test_sets_of_a_sure_model_are_those_of_float64_and_cover(rule, level):
    n = 1000
    logits, labels, uniforms = _sure(2 * n, 50.0)
    log_probs = tf.nn.log_softmax(logits)
    rows = np.arange(n)
    surprise, extra = (np.asarray(part)[rows, labels[:n]] for part in
                       conformal.class_scores(log_probs[:n], uniforms[:n], rule))
    limit, limit_extra = conformal.set_threshold(surprise, extra, level)
    fitted = rule._replace(threshold=limit * (1 + 1e-6), extra=limit_extra)
    sets = conformal.in_set(log_probs[n:], uniforms[n:], fitted).numpy()

    surprise, extra = _in_double(logits, uniforms, *rule[1:4])
    # Places of all classes of all rows. Logarithms decide where sums are equal.
    order = np.lexsort([surprise.ravel(), (extra - np.exp(-surprise)).ravel()])
    place = np.argsort(order).reshape(surprise.shape)
    least = np.sort(place[rows, labels[:n]])[int(np.ceil((n + 1) * level)) - 1]
    np.testing.assert_array_equal(sets, place[n:] <= least)
    covered = sets[rows, labels[n:]].mean()
    assert abs(covered - level) < 3 * np.sqrt(2 * level * (1 - level) / n)
    assert sets.sum(axis=1).mean() < 4.5


def test_threshold_that_was_a_score_keeps_its_sets():
    logits, _, uniforms = _sure(200, 1.0)
    log_probs = tf.nn.log_softmax(logits)
    for rule in (LAC, APS, SetRule(np.inf, 1.0, 0.3, 1.0)):
        scores = _linear(log_probs, uniforms, rule)
        for limit in (0.0, 0.2, 0.97, 1.0, 1.4, 2.1):
            surprise, extra = conformal.linear_threshold(limit)
            assert np.isfinite(surprise)
            np.testing.assert_array_equal(
                conformal.in_set(log_probs, uniforms,
                                 rule._replace(threshold=surprise, extra=extra)),
                scores <= limit)
    assert conformal.linear_threshold(np.inf) == (np.inf, 0.0)


@pytest.mark.parametrize("penalty", [0.0, 0.5])
def test_nothing_fitted_holds_all_classes(penalty):
    rule = SetRule(np.inf, 1.0, penalty, 1.0)
    assert conformal.in_set(tf.math.log([[1.0, 0.0, 0.0]]), [0.5], rule).numpy().all()


def test_threshold_is_an_order_statistic():
    scores = np.random.default_rng(0).permutation(np.arange(1.0, 20.0))
    assert conformal.threshold(scores, 0.95) == 19.0  # The last of 19.
    assert conformal.threshold(scores, 0.551) == 12.0
    # 25 * 0.28 comes out as 7.000000000000001.
    assert conformal.threshold(np.arange(1.0, 25.0), 0.28) == 7.0


def test_threshold_refuses_what_cannot_cover():
    with pytest.raises(ValueError, match="at least 9 calibration rows"):
        conformal.threshold(np.arange(8.0), 0.9)
    with pytest.raises(ValueError, match="at least 99 calibration rows"):
        conformal.threshold(np.arange(98.0), 0.99)
    with pytest.raises(ValueError, match="1 of 20 NaN"):
        conformal.threshold(np.r_[np.nan, np.arange(19.0)], 0.9)
    for level in (0.0, 1.0, 90):
        with pytest.raises(ValueError, match="level="):
            conformal.threshold(np.arange(20.0), level)


def test_numbers_of_positions_are_uniform_and_blind_to_padding():
    rows = (np.arange(1000) + 0.5) / 1000
    short, long = (conformal.of_positions(rows, np.array([1000, *sizes])).numpy()
                   for sizes in ((3, 4), (5, 9)))
    np.testing.assert_array_equal(short, long[:, :3, :4])
    np.testing.assert_array_equal(short[:, 0, 0], rows)
    for place in short.reshape(1000, -1).T:
        np.testing.assert_allclose(np.sort(place), rows, atol=1e-3)
    assert len(np.unique(long[0].round(6))) == 45
