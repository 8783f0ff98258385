"""The difference of logits by their range, whatever the scale of the logits."""

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.attacks import DLRLoss

SCORES, LABELS = tf.constant([[1.0, 3.0, 2.0, -1.0]]), tf.constant([2])


def test_value_of_the_worked_example():
    np.testing.assert_allclose(DLRLoss()(SCORES, LABELS), [0.5])
    # The own class is ahead by 1; the range is still 3 - 1.
    np.testing.assert_allclose(DLRLoss()(SCORES, tf.constant([1])), [-0.5])


def test_scale_and_level_of_scores_change_nothing():
    for scores in (1000.0 * SCORES, SCORES - 7.0, 1e-3 * SCORES):
        np.testing.assert_allclose(DLRLoss()(scores, LABELS), [0.5], rtol=1e-3)


def test_equal_scores_are_no_division_by_zero():
    scores = tf.ones([1, 4])
    with tf.GradientTape() as tape:
        tape.watch(scores)
        value = DLRLoss()(scores, LABELS)
    assert value.numpy() == [0.0]
    assert np.isfinite(tape.gradient(value, scores)).all()


def test_two_classes_are_refused():
    with pytest.raises(ValueError, match="three classes"):
        DLRLoss()(tf.ones([1, 2]), tf.constant([0]))
