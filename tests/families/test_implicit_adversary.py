"""A generator of perturbations from noise that an encoder reads back."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.core.ball import Ball
from bdlzoo.families.implicit_adversary import INERT, ImplicitAdversary, uniforms
from bdlzoo.networks import PerturbationGenerator

X = tf.constant(np.random.default_rng(0).uniform(size=(4, 4, 4, 1)), tf.float32)
BALL = Ball(X, 0.3, 0.0, 1.0)
KEY = noise.key(0, noise.ATTACK)


def _losses(x, y):
    del y
    return tf.reduce_sum(tf.sin(4.0 * x), axis=[1, 2, 3])


def _adversary(threshold=0.5, weight=2.0, raw=None):
    keras.utils.set_random_seed(0)
    generator = PerturbationGenerator((4, 4, 3), 1, latent=2, width=2)
    dense = keras.layers.Dense(4) if raw is None else keras.layers.Dense(
        4, kernel_initializer="zeros",
        bias_initializer=lambda shape, dtype: tf.constant(raw, dtype))
    encoder = keras.Sequential([keras.Input((4, 4, 1)), keras.layers.Flatten(), dense])
    return ImplicitAdversary(generator, encoder, 2, weight, threshold)


def test_an_encoder_that_sees_nothing_has_the_inert_nll():
    """Mean 0 and the variance of U(-1, 1); 0.976 with that of the start."""
    codes = uniforms(50_000, 2, KEY)
    places = tf.zeros((50_000, 4, 4, 1))
    third = np.log(np.expm1(1 / 3))
    for raw, nats in (([0, 0, third, third], 0.8696), ([0, 0, 0, 0], 0.976)):
        found = _adversary(raw=raw).code_nll(places, codes)
        np.testing.assert_allclose(found, nats, atol=3e-3)
    assert pytest.approx(0.8696, abs=1e-4) == INERT


def test_penalty_is_what_is_above_the_threshold():
    for threshold, weight in ((0.5, 2.0), (-1.0, 0.3), (5.0, 1.0)):
        found = _adversary(threshold, weight).attacked(_losses, BALL, None, KEY)
        nll = np.log(2.0) - found.logs["entropy"]
        np.testing.assert_allclose(
            found.penalty, weight * max(nll - threshold, 0.0), rtol=1e-5, atol=1e-6)


def test_loss_path_is_reversed_and_the_bound_is_not():
    adversary = _adversary(threshold=-5.0, weight=0.7)
    weights = adversary.trainable_variables
    features, = adversary.learn(_losses, BALL, None, KEY)
    codes = uniforms(4, 2, KEY)
    with tf.GradientTape() as tape:
        found = adversary.attacked(_losses, BALL, None, KEY)
        loss = tf.reduce_mean(_losses(found.inputs, None)) + found.penalty
    ours = tape.gradient(loss, weights)
    with tf.GradientTape(persistent=True) as tape:
        places = adversary.generate(features, codes, training=True)
        rise = tf.reduce_mean(_losses(BALL.at(places), None))
        nll = adversary.code_nll(places, codes)
    for gradient, weight in zip(ours, weights):
        exact = 0.7 * tape.gradient(nll, weight)
        if (raised := tape.gradient(rise, weight)) is not None:
            exact -= raised
        np.testing.assert_allclose(gradient, exact, rtol=1e-3, atol=1e-6)
    assert np.abs(found.inputs - X).max() <= 0.3 + 1e-6


def test_law_draws_from_noise():
    adversary = _adversary()
    law = adversary.law(*adversary.learn(_losses, BALL, None, KEY))
    draws = law.draws(3, KEY).numpy()
    assert draws.shape == (3, 4, 4, 4, 1) and np.abs(draws).max() < 1
    codes = uniforms(12, 2, KEY)
    np.testing.assert_allclose(  # The second draw of the last image.
        draws[1, 3], adversary.generate(law.features[3:], codes[7:8])[0], atol=1e-6)
