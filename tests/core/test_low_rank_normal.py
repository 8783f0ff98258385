"""Tests of normal laws of few members, against TFP's full covariances."""

import math

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from tensorflow_probability import distributions as tfd

from bdlzoo.core import low_rank_normal, noise
from bdlzoo.core.low_rank_normal import LowRankNormal

KEY = noise.key(0, noise.TRAIN)


def _members(count, points, classes, scale=1.0):
    """Outputs `[M, n, C]` and a kernel `[n, n]`, both random."""
    outputs = scale * noise.normal([count, points, classes], noise.fold_in(KEY, 1))
    root = noise.normal([points, points], noise.fold_in(KEY, 2))
    kernel = tf.matmul(root, root, transpose_b=True) / points
    return outputs, low_rank_normal.with_jitter(kernel, 0.05)


def _class_major(tensor):
    """`[..., n, C]` as `[..., C n]`."""
    return tf.cast(tf.linalg.matrix_transpose(tensor), tf.float64).numpy().reshape(
        *tensor.shape[:-2], -1)


def _full(law):
    """The same law with its covariance written out, `[C n, C n]`."""
    factor = _class_major(law.factor)
    covariance = factor.T @ factor + float(law.jitter) * np.eye(factor.shape[1])
    return tfd.MultivariateNormalFullCovariance(_class_major(law.mean), covariance)


@settings(max_examples=8, deadline=None)
@given(st.integers(2, 12), st.integers(1, 6), st.integers(1, 3))
def test_kl_equals_that_of_the_full_covariances(members, points, classes):
    outputs, kernel = _members(members, points, classes)
    law = low_rank_normal.of_members(outputs, 0.05)
    prior = tfd.MultivariateNormalFullCovariance(
        np.zeros(points * classes), np.kron(np.eye(classes), kernel))
    np.testing.assert_allclose(law.kl(kernel),
                               tfd.kl_divergence(_full(law), prior), rtol=1e-4)


def test_covariance_of_draws_is_low_rank_with_jitter():
    outputs, _ = _members(4, 3, 2)
    law = low_rank_normal.of_members(outputs, 0.05)
    draws = law.draws(noise.normal([100_000, 4], noise.fold_in(KEY, 3)),
                      noise.normal([100_000, 3, 2], noise.fold_in(KEY, 4)))
    flat = _class_major(draws)
    np.testing.assert_allclose(flat.mean(axis=0), _full(law).mean(), atol=0.02)
    np.testing.assert_allclose(np.cov(flat.T), _full(law).covariance(), atol=0.04)


def test_factor_is_the_covariance_of_the_members_by_their_number():
    outputs, _ = _members(5, 4, 2)
    law = low_rank_normal.of_members(outputs, 0.1)
    factor = _class_major(law.factor)
    np.testing.assert_allclose(factor.T @ factor,
                               np.cov(_class_major(outputs).T, bias=True), atol=1e-6)
    np.testing.assert_allclose(law.jitter, 0.1 * np.var(outputs, axis=0).mean(),
                               rtol=1e-5)


def test_more_points_never_have_less_divergence():
    outputs, kernel = _members(4, 12, 2)
    law = low_rank_normal.of_members(outputs, 0.05)
    divergences = [LowRankNormal(law.mean[:n], law.factor[:, :n], law.jitter).kl(
        kernel[:n, :n]) for n in range(1, 13)]
    assert np.all(np.diff(divergences) > 0)


def test_members_that_agree_have_a_finite_divergence():
    outputs, kernel = _members(1, 5, 2)
    outputs = tf.repeat(outputs, 4, axis=0)
    with tf.GradientTape() as tape:
        tape.watch(outputs)
        law = low_rank_normal.of_members(outputs, 0.05)
        divergence = law.kl(kernel)
    np.testing.assert_allclose(law.jitter, low_rank_normal.FLOOR)
    assert np.isfinite(divergence) and divergence > 0
    assert np.isfinite(tape.gradient(divergence, outputs)).all()


def test_no_gradient_flows_through_the_jitter():
    outputs, _ = _members(4, 3, 2)
    with tf.GradientTape() as tape:
        tape.watch(outputs)
        jitter = low_rank_normal.of_members(outputs, 0.05).jitter
    assert tape.gradient(jitter, outputs) is None


def test_jitter_of_a_row_knows_no_other_row():
    outputs, _ = _members(4, 6, 2)
    law = low_rank_normal.of_members(outputs, 0.05, by_row=True)
    alone = low_rank_normal.of_members(outputs[:, 3:4], 0.05, by_row=True)
    assert law.jitter.shape == (6, 1)
    np.testing.assert_allclose(law.jitter[3:4], alone.jitter, rtol=1e-6)


def test_kernel_keeps_its_shape_under_jitter():
    kernel = tf.constant([[1.0, 0.5], [0.5, 3.0]])
    np.testing.assert_allclose(low_rank_normal.with_jitter(kernel, 0.1),
                               [[1.2, 0.5], [0.5, 3.2]])
    nothing = low_rank_normal.with_jitter(tf.zeros([2, 2]), 0.1)
    np.testing.assert_allclose(nothing, low_rank_normal.FLOOR * np.eye(2))


def test_kl_is_the_same_in_a_graph_and_under_xla():
    outputs, kernel = _members(4, 8, 2)

    def divergence(outputs, kernel):
        return low_rank_normal.of_members(outputs, 0.05).kl(kernel)

    plain = divergence(outputs, kernel)
    for jit in (False, True):
        compiled = tf.function(divergence, jit_compile=jit)
        np.testing.assert_allclose(compiled(outputs, kernel), plain, rtol=1e-5)


def test_many_points_with_little_jitter_are_factored():
    """A smooth kernel at 600 points has no factor in float32."""
    x = np.linspace(0, 1, 600)[:, None]
    kernel = np.exp(-0.5 * (x - x.T)**2) + 1e-9 * np.eye(600)
    assert np.isnan(tf.linalg.cholesky(tf.cast(kernel, tf.float32))).any()
    outputs = tf.constant(np.stack([x, 2.0 * x]), tf.float32)
    divergence = low_rank_normal.of_members(outputs, 0.05).kl(tf.constant(kernel))
    assert math.isfinite(divergence)


def test_kernel_that_is_not_positive_definite_is_refused():
    outputs, _ = _members(3, 2, 1)
    law = low_rank_normal.of_members(outputs, 0.05)
    bad = tf.constant([[1.0, 2.0], [2.0, 1.0]])
    with pytest.raises(ValueError, match="positive definite.*jitter"):
        law.kl(bad)
    with pytest.raises(ValueError, match="positive definite.*jitter"):
        with low_rank_normal.explained():
            tf.function(law.kl)(bad)
