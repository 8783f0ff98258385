"""Cross entropy of scores, whatever constant they carry."""

import numpy as np
import tensorflow as tf

from bdlzoo.attacks import CrossEntropyLoss

SCORES = tf.constant([[1.0, 3.0, 2.0, -1.0], [0.0, 0.0, 0.0, 0.0]])
LABELS = tf.constant([2, 1])


def test_value_is_minus_the_log_probability():
    loss = CrossEntropyLoss()
    expected = [np.log(np.exp([1.0, 3.0, 2.0, -1.0]).sum()) - 2.0, np.log(4.0)]
    np.testing.assert_allclose(loss(SCORES, LABELS), expected, rtol=1e-6)
    np.testing.assert_allclose(loss(SCORES - 5.0, LABELS), expected, rtol=1e-6)
    np.testing.assert_allclose(loss.gain(SCORES, LABELS, targeted=True),
                               np.negative(expected), rtol=1e-6)


def test_a_network_that_is_sure_and_wrong_keeps_a_gradient():
    """The probability of its class is 0 in float32: a softmax would lose both."""
    scores = tf.constant([[0.0, 200.0]])
    with tf.GradientTape() as tape:
        tape.watch(scores)
        value = CrossEntropyLoss()(scores, tf.constant([0]))
    np.testing.assert_allclose(value, [200.0])
    np.testing.assert_allclose(tape.gradient(value, scores), [[-1.0, 1.0]])
