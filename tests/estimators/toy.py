"""The toy on which every estimator has numbers in closed form."""

import numpy as np
import tensorflow as tf

from bdlzoo.core import noise

POTENTIALS = np.array([0.3, -1.0, 0.7, 0.0, -0.4], "float32")
THETA = np.array([1.0, -2.0, 0.5, 3.0, -0.7], "float32")
EXACT = np.array([0.057828, -0.188549, -0.100126, 0.413086, -0.182239])


def loss(codes):
    """Minus theta of codes `[S, B, 1, 5]`; it is linear in relaxed ones."""
    return -tf.reduce_sum(codes * THETA, axis=[-2, -1])


def gradients(estimator, count=20_000, key=0, num_samples=1, **options):
    """Estimates of the gradient of mean theta, one for each of many rows."""
    potentials = tf.Variable(np.tile(POTENTIALS, (count, 1, 1)))
    with tf.GradientTape() as tape:
        found = tf.reduce_sum(estimator(
            potentials, loss, noise.key(key), num_samples=num_samples, **options))
    return -tape.gradient(found, potentials).numpy()[:, 0].astype("float64")


def total_variance(found):
    return np.var(found, axis=0).sum()


def bias(found):
    return np.abs(found.mean(axis=0) - EXACT).max()


def softmax(x):
    weights = np.exp(np.asarray(x, "float64"))
    return weights / weights.sum(axis=-1, keepdims=True)
