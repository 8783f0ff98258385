"""The arg max of pairs: by enumeration, by a minimum cut, and by hand."""

import itertools

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import pairwise_argmax


def _values(codes, unary, couplings):
    codes = np.asarray(codes, "float64")
    first, second = pairwise_argmax.pairs(codes.shape[-1])
    return (np.sum(unary * codes, axis=-1)
            + np.sum(couplings * codes[..., first] * codes[..., second], axis=-1))


def _problem(rows, size, sign=1.0, seed=0):
    rng = np.random.default_rng(seed)
    couplings = rng.gamma(0.5, size=(rows, size * (size - 1) // 2))
    if sign == 0:
        couplings *= rng.choice([-1.0, 1.0], couplings.shape)
    unary = rng.normal(scale=2.0, size=(rows, size)) - 0.5 * couplings.mean() * size
    return unary.astype("float32"), couplings.astype("float32")


def test_known_problem_has_the_known_answer():
    unary = np.array([[0.5, -0.8, -0.2, 0.1]], "float32")
    couplings = np.array([[1.0, 0.1, 0.3, 0.4, 0.2, 0.6]], "float32")
    for solve in (pairwise_argmax.by_enumeration, pairwise_argmax.by_min_cut):
        found = solve(tf.constant(unary), tf.constant(couplings))
        np.testing.assert_array_equal(found, [[1, 1, 1, 1]])
        np.testing.assert_allclose(_values(found, unary, couplings), 2.2, rtol=1e-6)
    alone = pairwise_argmax.by_enumeration(tf.constant(unary), 0.0 * couplings)
    np.testing.assert_array_equal(alone, [[1, 0, 0, 1]])


@pytest.mark.parametrize("size", [2, 5, 7])
def test_enumeration_finds_the_best_of_all(size):
    unary, couplings = _problem(30, size, sign=0)
    every = np.array(list(itertools.product([0, 1], repeat=size)))
    best = _values(every, unary[:, None], couplings[:, None]).max(axis=1)
    found = pairwise_argmax.argmax(tf.constant(unary), tf.constant(couplings))
    np.testing.assert_allclose(_values(found, unary, couplings), best, rtol=1e-5)


@pytest.mark.parametrize("size", [3, 12])
def test_minimum_cut_is_enumeration(size):
    unary, couplings = _problem(40, size, seed=1)
    codes = [solve(tf.constant(unary), tf.constant(couplings)) for solve in (
        pairwise_argmax.by_enumeration, pairwise_argmax.by_min_cut)]
    np.testing.assert_allclose(*(_values(code, unary, couplings) for code in codes),
                               rtol=1e-5, atol=1e-5)
    assert 0.1 < np.mean(codes[0]) < 0.9


def test_draws_are_solved_one_by_one_and_many_variables_by_a_cut():
    unary, couplings = _problem(6, 20)
    draws = tf.constant(np.stack([unary, unary + 1.0]))
    found = tf.function(pairwise_argmax.argmax)(draws, tf.constant(couplings))
    assert found.shape == (2, 6, 20)
    np.testing.assert_array_equal(
        found[1], pairwise_argmax.by_min_cut(draws[1], tf.constant(couplings)))


def test_compiled_enumeration_is_plain():
    unary, couplings = map(tf.constant, _problem(10, 6))
    compiled = tf.function(pairwise_argmax.by_enumeration, jit_compile=True)
    np.testing.assert_array_equal(compiled(unary, couplings),
                                  pairwise_argmax.by_enumeration(unary, couplings))


def test_cut_refuses_negative_couplings():
    unary, couplings = _problem(1, 4)
    with pytest.raises(Exception, match="at least 0"):
        pairwise_argmax.by_min_cut(tf.constant(unary), tf.constant(-couplings))
