"""A generator of laws ascends on the loss, and on its entropy as well."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.core.ball import Ball
from bdlzoo.core.tanh_normal import TanhNormal
from bdlzoo.families.amortized_adversary import AmortizedAdversary
from bdlzoo.families.gradient_features import gradient_features

X = tf.constant(np.random.default_rng(0).uniform(size=(4, 3, 3, 1)), tf.float32)
BALL = Ball(X, 0.3, 0.0, 1.0)
KEY = noise.key(0, noise.ATTACK)
FACTOR = tf.Variable(1.5)  # The weight of a network.


def _losses(x, y):
    del y
    return FACTOR * tf.reduce_sum(tf.sin(4.0 * x), axis=[1, 2, 3])


def _adversary(**kwargs):
    generator = keras.Sequential([keras.Input((3, 3, 3)), keras.layers.Conv2D(
        2, 1, kernel_initializer=keras.initializers.RandomNormal(stddev=0.3, seed=0))])
    return AmortizedAdversary(generator, **{"entropy_weight": 0.01, "entropy": "mean",
                                            **kwargs})


@pytest.mark.parametrize("entropy, count", [("mean", 1), ("sum", 9)])
def test_loss_path_is_reversed_and_entropy_is_not(entropy, count):
    adversary = _adversary(entropy_weight=0.7, entropy=entropy)
    weights = adversary.trainable_variables
    with tf.GradientTape() as tape:
        found = adversary.attacked(_losses, BALL, None, KEY)
        loss = tf.reduce_mean(_losses(found.inputs, None)) + found.penalty
    ours = tape.gradient(loss, [*weights, FACTOR])
    normals = noise.normal(X.shape, KEY)
    with tf.GradientTape(persistent=True) as tape:
        outputs = adversary.generator(gradient_features(_losses, BALL, None))
        law = TanhNormal(outputs[..., :1], tf.math.softplus(outputs[..., 1:]))
        u = law.moved(normals)
        rise = tf.reduce_mean(_losses(BALL.at(tf.tanh(u)), None))
        nats = count * tf.reduce_mean(law.entropy(u))
    np.testing.assert_allclose(ours[-1], tape.gradient(rise, FACTOR), rtol=1e-5)
    for gradient, weight in zip(ours, weights):
        # Descent on the loss of all is ascent on both for the generator.
        exact = -tape.gradient(rise, weight) - 0.7 * tape.gradient(nats, weight)
        np.testing.assert_allclose(gradient, exact, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(found.penalty, -0.7 * nats, rtol=1e-5)
    np.testing.assert_allclose(count * found.logs["entropy"], nats, rtol=1e-5)


def test_law_is_what_the_generator_says_and_draws_stay_in_the_ball():
    adversary = _adversary()
    law = adversary.law(*adversary.learn(_losses, BALL, None, KEY))
    outputs = adversary.generator(gradient_features(_losses, BALL, None)).numpy()
    np.testing.assert_allclose(law.mean, outputs[..., :1], rtol=1e-5)
    np.testing.assert_allclose(law.scale, np.log1p(np.exp(outputs[..., 1:])), rtol=1e-5)
    moved = adversary.attacked(_losses, BALL, None, KEY).inputs
    assert np.abs(moved - X).max() <= 0.3 + 1e-6
