"""Gumbel-softmax: bias and variance on the toy, and what its codes are."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo import ExponentialFall
from bdlzoo.core import noise
from bdlzoo.estimators import GumbelSoftmax
from tests.estimators import toy

COUNT = 60_000


@pytest.mark.parametrize("tau, gap, variance", [
    (1.0, 0.089, 0.15), (0.5, 0.028, 0.62), (0.1, 0.004, 5.2)])
def test_bias_and_variance_are_the_known_ones(tau, gap, variance):
    found = toy.gradients(GumbelSoftmax(tau), COUNT)
    error = 4 * np.sqrt(np.var(found, axis=0).max() / COUNT)
    np.testing.assert_allclose(toy.bias(found), gap, atol=error)
    np.testing.assert_allclose(toy.total_variance(found), variance, rtol=0.06)


def test_straight_through_gives_hard_codes_and_the_relaxed_gradient():
    potentials = tf.Variable(np.tile(toy.POTENTIALS, (9, 1, 1)))
    soft, hard = GumbelSoftmax(0.7), GumbelSoftmax(0.7, straight_through=True)
    slopes = []
    for estimator in (soft, hard):
        with tf.GradientTape() as tape:
            codes = estimator.codes(potentials, noise.key(3))
            total = tf.reduce_sum(codes * toy.THETA)
        slopes.append(tape.gradient(total, potentials))
    np.testing.assert_allclose(*slopes, atol=1e-6)
    assert set(np.round(np.ravel(codes), 5)) == {0.0, 1.0}
    np.testing.assert_array_equal(
        tf.argmax(codes, -1), tf.argmax(soft.codes(potentials, noise.key(3)), -1))
    assert soft.is_relaxed and not hard.is_relaxed


def test_schedule_is_read_and_saved():
    falling = GumbelSoftmax(ExponentialFall(1.0, 0.5, floor=0.1))
    again = keras.saving.deserialize_keras_object(
        keras.saving.serialize_keras_object(falling))
    np.testing.assert_allclose(
        toy.gradients(again, 50, step=2),
        toy.gradients(GumbelSoftmax(float(np.exp(-1.0))), 50), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("tau", [0, -1.0, float("nan"), True])
def test_impossible_temperatures_are_refused(tau):
    with pytest.raises(ValueError, match="above 0.*Received: tau="):
        GumbelSoftmax(tau)
