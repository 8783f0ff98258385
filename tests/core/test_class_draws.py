"""Sums over parts of the draws give the measures of all draws."""

import functools

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core.class_draws import ClassSummary, ClassSums, HeldClassDraws

NAMES = [name for name in ClassSummary._fields if name != "num_draws"]


def _log_probs(draws, scale=3.0, shape=(4, 5), seed=0):
    logits = scale * np.random.default_rng(seed).normal(size=(draws, *shape))
    return tf.nn.log_softmax(tf.constant(logits, tf.float32))


def _summary(log_probs, size):
    """Of parts of one size; the last draw is repeated, and does not count."""
    count, parts = len(log_probs), []
    for first in range(0, count, size):
        places = np.arange(first, first + size)
        part = tf.gather(log_probs, np.minimum(places, count - 1))
        parts.append(ClassSums.of(part, places < count))
    start = ClassSums.of(log_probs[:1], [1]).cleared()
    return functools.reduce(ClassSums.merged, parts, start).summary(
        tf.float32, count)


@pytest.mark.parametrize("scale", [0.1, 300.0])
def test_parts_of_any_size_give_the_measures_of_held_draws(scale):
    log_probs = _log_probs(7, scale)
    held = HeldClassDraws(log_probs)
    for size in (1, 3, 7):
        summary = _summary(log_probs, size)
        for name in NAMES[1:]:
            np.testing.assert_allclose(getattr(summary, name), getattr(held, name),
                                       rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(np.exp(summary.log_mixture),
                                   np.exp(held.log_mixture), atol=1e-6)
        # The measure that a difference of entropies would make negative.
        assert np.min(summary.mutual_information) >= 0.0


@pytest.mark.slow
def test_thousand_draws_one_by_one_lose_no_digit():
    log_probs = _log_probs(1000, shape=(2, 3))
    add = tf.function(lambda sums, draw: sums.merged(ClassSums.of(draw[None], [1])))
    sums = functools.reduce(add, log_probs, ClassSums.of(log_probs[:1], [1]).cleared())
    summary = sums.summary(tf.float32, 1000)
    exact = HeldClassDraws(tf.cast(log_probs, tf.float64))
    for name in NAMES:
        np.testing.assert_allclose(getattr(summary, name), getattr(exact, name),
                                   rtol=2e-6, atol=1e-6)


def test_draws_that_exclude_classes_are_summed_too():
    with np.errstate(divide="ignore"):
        log_probs = tf.constant(np.log(np.array(
            [[[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]]], "float32")))
    summary = _summary(log_probs, 1)
    np.testing.assert_allclose(summary.mutual_information, np.log(2), rtol=1e-6)
    np.testing.assert_allclose(summary.expected_entropy, 0.0)
    np.testing.assert_allclose(np.exp(summary.log_mixture), [[0.5, 0.5, 0.0]])
    assert summary.variation_ratio[0] == 0.5


def test_rows_are_taken_joined_and_flattened():
    log_probs = _log_probs(3, shape=(4, 2, 5))
    summary, held = _summary(log_probs, 2), HeldClassDraws(log_probs)
    both = ClassSummary.joined([summary.rows(slice(3)), summary.rows(slice(3, 4))])
    flat = summary.flat()
    for name in NAMES:
        whole = getattr(summary, name).numpy()
        np.testing.assert_array_equal(getattr(both, name), whole)
        np.testing.assert_array_equal(
            getattr(flat, name), whole.reshape(8, *whole.shape[2:]))
        np.testing.assert_allclose(getattr(held.flat(), name), getattr(flat, name),
                                   atol=1e-5)
    assert both.num_draws == held.num_draws == 3


def test_draws_that_are_not_held_say_what_to_do():
    with pytest.raises(ValueError, match=r"sample_outputs.*3 draws"):
        _ = _summary(_log_probs(3), 2).log_probs
