"""A generator sees the input and two gradients, each of size one."""

import numpy as np
import tensorflow as tf

from bdlzoo.core.ball import Ball
from bdlzoo.families.gradient_features import gradient_features

X = np.random.default_rng(0).uniform(size=(3, 2, 2, 1)).astype("float32")


def test_features_are_the_input_and_gradients_at_two_points():
    ball = Ball(tf.constant(X), 0.3, 0.0, 1.0)
    factor = tf.constant([1.0, 1e-6, 5.0])  # Sizes that do not matter.
    found = gradient_features(
        lambda x, y: factor * tf.reduce_sum(x**4 - x, axis=[1, 2, 3]), ball, None)
    first = 4 * X**3 - 1
    second = 4 * np.clip(X + 0.3 * np.sign(first), 0, 1)**3 - 1
    sizes = [np.abs(g).mean(axis=(1, 2, 3), keepdims=True) for g in (first, second)]
    np.testing.assert_allclose(
        found, np.concatenate([X, first / sizes[0], second / sizes[1]], -1),
        rtol=2e-4, atol=1e-5)


def test_a_flat_loss_gives_zeros():
    ball = Ball(tf.constant(X), 0.3, 0.0, 1.0)
    found = gradient_features(
        lambda x, y: tf.reduce_sum(0.0 * x, axis=[1, 2, 3]), ball, None)
    np.testing.assert_array_equal(found[..., 1:], 0.0)
