"""Divergence from the clean prediction: the worked example, and its gradient."""

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.attacks import FGSM, DivergenceLoss

CLEAN, MOVED = tf.constant([[1.0, 0.0, 0.0]]), tf.constant([[0.0, 1.0, 0.0]])


def test_value_of_the_worked_example():
    loss = DivergenceLoss()
    np.testing.assert_allclose(loss(MOVED, None, CLEAN), [0.364175], atol=1e-6)
    np.testing.assert_allclose(loss(CLEAN + 3.0, None, CLEAN), [0.0], atol=1e-6)
    lopsided = tf.constant([[2.0, -1.0, 0.5]])
    there, back = loss(CLEAN, None, lopsided), loss(lopsided, None, CLEAN)
    p, q = (tf.nn.softmax(t).numpy().astype("float64") for t in (lopsided, CLEAN))
    np.testing.assert_allclose(there, (p * np.log(p / q)).sum(-1), rtol=1e-5)
    assert abs(there - back).numpy() > 0.01


def test_gradient_is_the_difference_of_probabilities():
    moved = tf.identity(MOVED)
    with tf.GradientTape() as tape:
        tape.watch(moved)
        value = DivergenceLoss()(moved, None, CLEAN)
    np.testing.assert_allclose(tape.gradient(value, moved),
                               tf.nn.softmax(MOVED) - tf.nn.softmax(CLEAN), atol=1e-6)


def test_it_has_no_target():
    with pytest.raises(ValueError, match="loss=DivergenceLoss, targeted=True"):
        FGSM(0.1, loss="DivergenceLoss", targeted=True)
