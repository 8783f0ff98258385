"""Disagreement of two draws: its ceiling, its zero, and what the hinge asks for."""

import numpy as np
import tensorflow as tf

from bdlzoo.core import disagreement
from bdlzoo.core.class_prediction import ClassPrediction

LOGITS = np.random.default_rng(0).normal(scale=8.0, size=(2, 500, 4)).astype("float32")


def test_information_is_at_most_log_two_and_zero_where_draws_agree():
    found = disagreement.information(ClassPrediction(tf.nn.log_softmax(LOGITS)))
    assert found.numpy().min() >= 0 and found.numpy().max() <= np.log(2) + 1e-6
    assert found.numpy().max() > 0.69
    p = tf.nn.softmax(LOGITS).numpy().astype("float64")
    entropy = [-np.sum(q * np.log(q), -1) for q in (*p, p.mean(0))]
    np.testing.assert_allclose(found, entropy[2] - (entropy[0] + entropy[1]) / 2,
                               atol=1e-5)
    same = disagreement.information(ClassPrediction(
        tf.nn.log_softmax(LOGITS[[0, 0]])))
    np.testing.assert_allclose(same, 0.0, atol=1e-6)


def test_distance_is_the_mean_square_over_features():
    first, second = np.arange(12.0).reshape(2, 3, 2), np.ones((2, 3, 2))
    np.testing.assert_allclose(
        disagreement.distance(tf.constant(first), tf.constant(second)),
        [np.mean((first[i] - 1.0) ** 2) for i in range(2)])


def test_hinge_lets_go_at_the_margin():
    gap = tf.Variable([0.2, 0.5, 0.9])
    with tf.GradientTape() as tape:
        loss = disagreement.hinge(gap, 0.6)
    np.testing.assert_allclose(loss, (0.4 + 0.1) / 3, rtol=1e-5)
    np.testing.assert_allclose(tape.gradient(loss, gap), [-1 / 3, -1 / 3, 0.0])
