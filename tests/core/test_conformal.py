"""Conformal scores by hand, and coverage that is exact over many splits."""

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import conformal
from bdlzoo.core.conformal import SetRule

PROBS = np.array([[0.2, 0.5, 0.3]])
LAC, APS = SetRule(np.inf), SetRule(np.inf, cumulative=1.0)


def _scores(probs, uniforms, rule):
    return conformal.class_scores(tf.math.log(probs), uniforms, rule).numpy()


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
    scores = conformal.class_scores(
        log_probs, rng.uniform(size=len(labels)), rule).numpy()
    scores = scores[np.arange(len(labels)), labels].reshape(splits, -1)
    limits = conformal.threshold(scores[:, :n].T, level)
    covered = (scores[:, n:] <= limits[:, None]).mean(axis=1)
    error = covered.std() / np.sqrt(splits)
    assert error < 0.002
    np.testing.assert_allclose(
        covered.mean(), np.ceil((n + 1) * level) / (n + 1), atol=4 * error)
    assert level - 4 * error < covered.mean() < level + 1 / (n + 1) + 4 * error


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
