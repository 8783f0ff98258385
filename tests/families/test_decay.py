"""Decay is the divergence from a normal prior, differentiated."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from tensorflow_probability import distributions as tfd

import bdlzoo
from bdlzoo.families import decay
from bdlzoo.layers import Mixture

N, DECAY = 50.0, 2e-3
ANCHOR = tf.constant([0.3, -0.1, 0.0])


def _weight(share=1.0, point=False):
    return decay.Decayed(tf.Variable([0.5, -1.0, 2.0]), None if point else (
        tf.Variable([-3.0, 0.2, 1.0])), share)


def _divergence(weight, anchor):
    prior = tfd.Normal(anchor, (DECAY * N) ** -0.5)
    posterior = tfd.Normal(weight.mean, tf.exp(weight.log_scale))
    return tf.reduce_sum(tfd.kl_divergence(posterior, prior))


@pytest.mark.parametrize("anchor", [0.0, ANCHOR])
def test_pull_is_the_gradient_of_the_divergence_over_the_data(anchor):
    weight = _weight()
    with tf.GradientTape() as tape:
        share = _divergence(weight, anchor) / N
    expected = tape.gradient(share, [weight.mean, weight.log_scale])
    found = weight.pull(DECAY, N, anchor)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("anchor", [0.0, ANCHOR])
def test_divergence_is_that_of_two_normals(anchor):
    weight = _weight()
    np.testing.assert_allclose(weight.divergence(DECAY * N, anchor),
                               _divergence(weight, anchor), rtol=1e-5)


def test_a_point_has_its_energy_alone():
    weight = _weight(point=True)
    mean, log_scale = weight.pull(DECAY, N, 0.0)
    np.testing.assert_allclose(mean, DECAY * weight.mean)
    assert log_scale is None
    np.testing.assert_allclose(weight.divergence(DECAY * N, 0.0),
                               DECAY * N * (0.25 + 1.0 + 4.0) / 2, rtol=1e-6)


def test_a_member_of_four_has_a_quarter():
    whole, quarter = _weight(), _weight(0.25)
    for a, b in zip(quarter.pull(DECAY, N, 0.0), whole.pull(DECAY, N, 0.0)):
        np.testing.assert_allclose(a, b / 4, rtol=1e-6)
    np.testing.assert_allclose(quarter.divergence(0.1, 0.0),
                               whole.divergence(0.1, 0.0) / 4)


def test_every_weight_is_found_with_its_scale_and_its_share():
    inputs = keras.Input((3,))
    x = bdlzoo.layers.DenseExemplar(4, variational_bias=True)(inputs)
    x = Mixture(keras.layers.Dense(4), 5, gaussian=True)(keras.layers.Dense(4)(x))
    network = keras.Model(inputs, Mixture(keras.layers.Dense(2), 5)(x))
    found = decay.weights(network)
    assert [w.share for w in found] == [1.0] * 4 + [0.2] * 4
    assert [w.log_scale is None for w in found] == (
        [False] * 2 + [True] * 2 + [False] * 2 + [True] * 2)
    for weight in found:
        assert weight.log_scale is None or weight.log_scale.shape == weight.mean.shape
    every = {id(v) for w in found for v in (w.mean, w.log_scale) if v is not None}
    assert every == set(map(id, network.trainable_variables))
