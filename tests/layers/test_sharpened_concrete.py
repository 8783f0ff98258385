"""The sharpened Concrete distribution against that of TFP, and its limits."""

import numpy as np
import pytest
import tensorflow as tf
from tensorflow_probability import distributions as tfd

from bdlzoo.core import noise
from bdlzoo.layers import sharpened_concrete

KEY = noise.key(0, noise.PREDICT)
THETA = tf.constant([[0.3, -1.2, 0.8, 0.0], [2.0, 0.1, -0.5, 1.0]])


def _draws(tau, beta, count=20_000, theta=THETA[0]):
    theta = tf.broadcast_to(theta, (count, 4))
    return sharpened_concrete.draw(theta, tau, beta, KEY)


@pytest.mark.parametrize("tau", [3.0, 1.0, 0.01])
def test_weights_sum_to_one_and_are_nearly_one_hot_where_tau_is_low(tau):
    v = _draws(tau, 0.7)
    assert np.isfinite(v).all()
    alpha = tf.nn.softmax(v).numpy()
    np.testing.assert_allclose(alpha.sum(-1), 1.0, rtol=1e-5)
    assert (alpha >= 0).all()
    # tau log(99 * 3) is the gap below which the largest may be under 0.99.
    sharp = (alpha.max(-1) > 0.99).mean()
    assert sharp > 0.95 if tau == 0.01 else sharp < 0.5


@pytest.mark.parametrize("tau", [3.0, 0.2])
@pytest.mark.parametrize("beta", [1.0, 0.5])
def test_largest_weight_is_drawn_as_gumbel_max_says(tau, beta):
    """P(argmax alpha = k) = softmax(theta / beta)_k, whatever tau."""
    best = np.argmax(_draws(tau, beta), axis=-1)
    shares = np.bincount(best, minlength=4) / len(best)
    expected = tf.nn.softmax(THETA[0] / beta).numpy()
    errors = np.sqrt(expected * (1 - expected) / len(best))
    assert (abs(shares - expected) < 4 * errors).all()


@pytest.mark.parametrize("tau, beta", [(1.0, 1.0), (3.0, 0.7), (0.3, 0.5)])
def test_density_is_that_of_tfp(tau, beta):
    v = sharpened_concrete.draw(THETA, tau, beta, KEY)
    oracle = tfd.ExpRelaxedOneHotCategorical(
        temperature=np.float64(tau / beta), logits=np.float64(THETA) / beta)
    expected = oracle.log_prob(
        np.float64(v) - tf.reduce_logsumexp(np.float64(v), -1, keepdims=True))
    np.testing.assert_allclose(
        sharpened_concrete.log_density(v, THETA, tau, beta), expected, atol=1e-5)


def test_density_is_known_where_alpha_underflows():
    v = sharpened_concrete.draw(100.0 * THETA, 0.3, 0.5, KEY)
    assert tf.reduce_min(tf.nn.softmax(v)) == 0.0
    assert np.isfinite(sharpened_concrete.log_density(v, 100.0 * THETA, 0.3, 0.5)).all()


def test_draws_agree_where_beta_vanishes():
    alpha = tf.nn.softmax(_draws(2.0, 1e-6, count=100))
    expected = tf.broadcast_to(tf.nn.softmax(THETA[0] / 2.0), (100, 4))
    np.testing.assert_allclose(alpha, expected, atol=1e-5)
