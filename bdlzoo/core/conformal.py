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

Reference: Sadinle et al., Least Ambiguous Set-Valued Classifiers, JASA 2019;
Romano et al., Classification with Valid and Adaptive Coverage, NeurIPS 2020;
Angelopoulos et al., Uncertainty Sets for Image Classifiers, ICLR 2021.
"""

import math
import typing

import numpy as np
import tensorflow as tf

_PRIMES = (2, 3, 5, 7, 11, 13)  # Their roots are apart for each axis of positions.


class SetRule(typing.NamedTuple):
    """Rule by which classes are in a set; its values are numbers or scalar tensors."""

    threshold: typing.Any
    cumulative: typing.Any = 0.0  # 1 for APS and RAPS, 0 for LAC.
    penalty: typing.Any = 0.0
    free_rank: typing.Any = 0.0  # The most probable class has rank 1.


def class_scores(log_probs, uniforms, rule):
    """Computes the score of every class.

    Args:
        log_probs: Log class probabilities, `[B, ..., C]`.
        uniforms: A uniform number for each row, `[B]`.
        rule: `SetRule`; its threshold is not used.

    Returns:
        Tensor `[B, ..., C]`.
    """
    probs = tf.exp(log_probs)
    uniforms = of_positions(uniforms, tf.shape(probs)[:-1])
    uniforms, cumulative, penalty, free_rank = (
        tf.cast(t, probs.dtype)
        for t in (uniforms, rule.cumulative, rule.penalty, rule.free_rank))
    order = tf.argsort(log_probs, direction="DESCENDING", stable=True)
    place = tf.argsort(order)  # 0 for the most probable class.
    above = tf.gather(tf.cumsum(tf.gather(probs, order, batch_dims=-1),
                                axis=-1, exclusive=True), place, batch_dims=-1)
    rank = tf.cast(place, probs.dtype) + 1.0
    spread = (above + uniforms[..., None] * probs
              + penalty * tf.maximum(rank - free_rank, 0.0))
    return tf.where(cumulative > 0.0, spread, 1.0 - probs)


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
    return np.sort(scores, axis=0)[place - 1]
