"""The normal prior: stored means, a learnt scale."""

import numpy as np
import pytest
import tensorflow as tf
from tensorflow_probability import distributions as tfd

from bdlzoo.layers import NormalPrior

MEAN = tf.constant([[0.3, -1.2], [0.0, 0.4]])
SCALE = tf.constant([[0.1, 0.9], [1.0, 0.2]])


def _divergence(prior, loc=None):
    prior.build(MEAN.shape)
    if loc is not None:
        prior.loc.assign(loc)
    return prior.divergence(MEAN, SCALE, tf.math.log(SCALE), None)


def test_divergence_is_that_of_tfp():
    expected = tfd.kl_divergence(tfd.Normal(MEAN, SCALE), tfd.Normal(0.0, 0.6))
    np.testing.assert_allclose(_divergence(NormalPrior(0.6)),
                               np.sum(expected), rtol=1e-5)
    loc = MEAN + 0.25
    expected = tfd.kl_divergence(tfd.Normal(MEAN, SCALE), tfd.Normal(loc, 0.6))
    np.testing.assert_allclose(
        _divergence(NormalPrior(0.6, at_weights=True), loc), np.sum(expected),
        rtol=1e-5)


def test_learnt_scale_has_its_optimum_at_the_second_moment():
    """d KL / d log scale = n - sum(s**2 + m**2) / scale**2 vanishes there."""
    best = float(tf.sqrt(tf.reduce_mean(MEAN**2 + SCALE**2)))
    prior = NormalPrior(best, learn_scale=True)
    with tf.GradientTape() as tape:
        kl = _divergence(prior)
    assert len(prior.trainable_variables) == 1
    np.testing.assert_allclose(
        tape.gradient(kl, prior.log_scale.value), 0.0, atol=1e-5)
    assert not NormalPrior(1.0).trainable_variables


@pytest.mark.parametrize("scale", [0.0, -0.5])
def test_scale_must_be_positive(scale):
    with pytest.raises(ValueError, match=f"positive.*scale={scale}"):
        NormalPrior(scale)


def test_a_million_weights_at_the_prior_have_no_divergence():
    prior = NormalPrior(0.01)
    shape = (1000, 1200)
    prior.build(shape)
    scale = tf.fill(shape, 0.01)
    kl = prior.divergence(tf.zeros(shape), scale, tf.math.log(scale), None)
    assert abs(float(kl)) < 0.5  # Sums of logarithms would lose several nats.
