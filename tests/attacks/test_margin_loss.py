"""The margin of Carlini and Wagner, and where its hinge lets go."""

import numpy as np
import tensorflow as tf

from bdlzoo.attacks import MarginLoss
from bdlzoo.attacks.attack_loss import margin

SCORES, LABELS = tf.constant([[1.0, 3.0, 2.0, -1.0]]), tf.constant([2])


def _slope(loss, scores, **options):
    with tf.GradientTape() as tape:
        tape.watch(scores)
        value = loss.gain(scores, LABELS, **options)
    return tape.gradient(value, scores).numpy()[0]


def test_value_of_the_worked_example():
    assert margin(SCORES, LABELS).numpy() == [-1.0]
    assert MarginLoss()(SCORES, LABELS).numpy() == [-49.0]
    assert margin(SCORES, tf.constant([1])).numpy() == [1.0]


def test_gradient_does_not_depend_on_the_hinge_until_it_lets_go():
    for hinge in (1.5, 50.0, 1000.0):
        np.testing.assert_array_equal(_slope(MarginLoss(hinge), SCORES), [0, 1, -1, 0])
    np.testing.assert_array_equal(_slope(MarginLoss(0.5), SCORES), np.zeros(4))


def test_target_far_away_is_still_approached():
    """Its margin is -60; the hinge waits until it is 50 ahead."""
    far = SCORES * tf.constant([[1.0, 1.0, -28.5, 1.0]])
    assert margin(far, LABELS).numpy() == [-60.0]
    np.testing.assert_array_equal(_slope(MarginLoss(), far, targeted=True),
                                  [0, -1, 1, 0])
    np.testing.assert_array_equal(_slope(MarginLoss(), -2.0 * far, targeted=True),
                                  np.zeros(4))
