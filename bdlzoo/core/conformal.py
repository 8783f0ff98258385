"""Scores of conformal prediction, and their threshold for a given coverage.

    threshold = the ceil((n + 1) level)-th smallest of n calibration scores
    set(x)    = {c : score(x, c) <= threshold}

If calibration and test rows are exchangeable, a set holds the true class with a
probability of at least `level`, and of at most `level + 1 / (n + 1)` if no scores are
equal. The score of class c with probability p_c:

    LAC    1 - p_c
    APS    sum of the p above p_c + u p_c                  u uniform, one for each row
    RAPS   score of APS + penalty * max(0, rank of c - free_rank)

LAC has the smallest sets on average. The sets of APS are larger for difficult inputs,
and the penalty of RAPS avoids very large sets.

Only the order of scores counts, and they are compared as logarithms:

    surprise = -log(1 - score without penalty)
             = -log p_c, or -log(sum of the p below p_c + (1 - u) p_c)
    extra    = penalty * max(0, rank of c - free_rank)
    score    = 1 + extra - exp(-surprise)

A sure model has many classes with probabilities below 1e-7. In float32 their scores
are all 1: sets would hold all classes or none of these. Their logarithms differ.

Reference: Sadinle et al., Least Ambiguous Set-Valued Classifiers, JASA 2019;
Romano et al., Classification with Valid and Adaptive Coverage, NeurIPS 2020;
Angelopoulos et al., Uncertainty Sets for Image Classifiers, ICLR 2021.
"""

import math
import typing

import numpy as np
import tensorflow as tf

from bdlzoo.core import written_out

_PRIMES = (2, 3, 5, 7, 11, 13)  # Their roots are apart for each axis of positions.


class SetRule(typing.NamedTuple):
    """Rule by which classes are in a set; its values are numbers or scalar tensors."""

    threshold: typing.Any  # Largest surprise, in nats.
    cumulative: typing.Any = 0.0  # 1 for APS and RAPS, 0 for LAC.
    penalty: typing.Any = 0.0
    free_rank: typing.Any = 0.0  # The most probable class has rank 1.
    extra: typing.Any = 0.0  # That of the score which is the threshold.


def class_scores(log_probs, uniforms, rule):
    """Computes the score of every class.

    Args:
        log_probs: Log class probabilities, `[B, ..., C]`.
        uniforms: A uniform number for each row, `[B]`.
        rule: `SetRule`; its threshold is not used.

    Returns:
        Pair of tensors `[B, ..., C]`: `surprise` and `extra`.
    """
    log_probs = tf.convert_to_tensor(log_probs)
    uniforms = of_positions(uniforms, tf.shape(log_probs)[:-1])
    uniforms, cumulative, penalty, free_rank = (
        tf.cast(t, log_probs.dtype)
        for t in (uniforms, rule.cumulative, rule.penalty, rule.free_rank))
    order = tf.argsort(log_probs, direction="DESCENDING", stable=True)
    place = tf.argsort(order)  # 0 for the most probable class.
    ranked = tf.gather(log_probs, order, batch_dims=-1)
    above = tf.cumsum(tf.exp(ranked), axis=-1, exclusive=True)
    if written_out.is_on():  # For LAC alone: formats without random numbers have no
        # sums of logarithms.
        others = above + tf.cumsum(tf.exp(ranked), axis=-1, exclusive=True,
                                   reverse=True)
        return tf.gather(_surprise(others, ranked), place, batch_dims=-1), (
            tf.zeros_like(ranked))
    below = tf.math.cumulative_logsumexp(ranked, axis=-1, exclusive=True, reverse=True)
    uniforms = uniforms[..., None]
    spread = _surprise(above + uniforms * tf.exp(ranked), tf.reduce_logsumexp(
        tf.stack([below, tf.math.log1p(-uniforms) + ranked]), axis=0))
    plain = _surprise(above + tf.exp(below), ranked)
    surprise = tf.gather(tf.where(cumulative > 0.0, spread, plain), place,
                         batch_dims=-1)
    rank = tf.cast(place, log_probs.dtype) + 1.0
    return surprise, penalty * tf.maximum(rank - free_rank, 0.0)


def _surprise(score, log_rest):
    """`-log(1 - score)`, exact at both ends; `log_rest` is `log(1 - score)`."""
    low = tf.minimum(score, 0.5)
    return tf.where(score < 0.5, -tf.math.log1p(-low), -log_rest)


def in_set(log_probs, uniforms, rule):
    """Finds the classes whose score is not above the threshold.

    Args:
        log_probs: Log class probabilities, `[B, ..., C]`.
        uniforms: A uniform number for each row, `[B]`.
        rule: `SetRule`; with an infinite threshold all classes are in the set.

    Returns:
        Bools `[B, ..., C]`.
    """
    surprise, extra = class_scores(log_probs, uniforms, rule)
    limit, limit_extra = (tf.cast(t, surprise.dtype)
                          for t in (rule.threshold, rule.extra))
    gap = extra - limit_extra
    # Scores of the same rank are compared without the rounding of a sum.
    alike = tf.abs(gap) <= 1e-6 * limit_extra
    below = tf.where(alike, surprise <= limit,
                     gap <= tf.exp(-surprise) - tf.exp(-limit))
    return below | tf.math.is_inf(limit)


def of_positions(uniforms, sizes):
    """Uniform numbers of positions from those of rows.

    A position turns the number of its row around the circle by a fixed amount, so that
    each is uniform, and padding behind it has no effect.

    Args:
        uniforms: Numbers `[B]`.
        sizes: Vector of the sizes `[B, ...]`.

    Returns:
        Tensor `[B, ...]`.
    """
    uniforms = tf.convert_to_tensor(uniforms)
    found = tf.cast(uniforms, tf.float64)
    for axis in range(1, sizes.shape[0]):
        turn = tf.cast(tf.range(sizes[axis]), tf.float64) * math.sqrt(_PRIMES[axis - 1])
        found = tf.math.floormod(found[..., None] + turn, 1.0)
    return tf.cast(found, uniforms.dtype)


def threshold(scores, level):
    """Computes the finite-sample quantile of calibration scores, over the first axis.

    Args:
        scores: Scores of the observed classes or values, `[n]` or `[n, D]`.
        level: Float, the coverage.

    Returns:
        Float or array `[D]`.

    Raises:
        ValueError: If there are too few scores for that level, or some are NaN.
    """
    scores = np.asarray(scores)
    return np.sort(scores, axis=0)[_place(scores, level)]


def set_threshold(surprise, extra, level):
    """Computes the finite-sample quantile of scores of classes.

    Args:
        surprise: Array `[n]`, of the observed classes.
        extra: Array `[n]`.
        level: Float, the coverage.

    Returns:
        Pair of floats, the surprise and the extra of the score in that place.

    Raises:
        ValueError: If there are too few scores for that level, or some are NaN.
    """
    surprise, extra = (np.asarray(part, "float64") for part in (surprise, extra))
    # Where sums are equal after rounding, the logarithms decide.
    order = np.lexsort([surprise, extra - np.exp(-surprise)])
    chosen = order[_place(surprise + extra, level)]
    return float(surprise[chosen]), float(extra[chosen])


def linear_threshold(threshold):
    """Surprise and extra of a threshold that was stored as a score.

    Args:
        threshold: Float, threshold of `1 + extra - exp(-surprise)`.
    """
    rest = 1.0 - float(threshold)
    if rest == -np.inf:  # Nothing was fitted.
        return np.inf, 0.0
    # Finite, because a threshold of infinity means that nothing was fitted.
    surprise = -math.log(rest) if rest > 0 else float(np.finfo("float32").max)
    return max(surprise, 0.0), max(-rest, 0.0)


def _place(scores, level):
    """Place of the threshold among the sorted scores, from 0."""
    if not 0.0 < level < 1.0:
        raise ValueError("Expected a coverage above 0 and below 1. Received: "
                         f"level={level}")
    if np.isnan(scores).any():
        raise ValueError(
            "Expected a score for every calibration row: look for weights or "
            f"predictions that are not finite. Received: "
            f"{int(np.isnan(scores).sum())} of {scores.size} NaN")
    # The rounding of a product such as 25 * 0.28 must not add 1 to the place.
    place = math.ceil((len(scores) + 1) * level - 1e-9)
    if place > len(scores):
        raise ValueError(
            f"Expected at least {math.ceil(1 / (1 - level) - 1 - 1e-9)} calibration "
            f"rows for a coverage of {level:g}: give more rows, or a lower level. "
            f"Received: {len(scores)} rows")
    return place - 1
