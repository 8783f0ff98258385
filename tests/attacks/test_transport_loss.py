"""The cost of transport between a batch and itself, moved."""

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.attacks.pgd import PGD
from bdlzoo.attacks.transport_loss import TransportLoss, cosine_cost

CLEAN = np.eye(4, dtype="float32")


def test_cost_is_one_minus_the_cosine():
    first = np.array([[2.0, 0.0], [1.0, 1.0]], "float32")
    second = np.array([[0.0, 3.0], [-1.0, 0.0], [5.0, 0.0]], "float32")
    root = 1 / np.sqrt(2)
    np.testing.assert_allclose(
        cosine_cost(first, second), [[1, 2, 0], [1 - root, 1 + root, 1 - root]],
        atol=1e-6)


def test_a_batch_that_swaps_its_rows_has_not_moved():
    loss = TransportLoss(num_steps=200, tolerance=1e-5)
    np.testing.assert_allclose(loss(CLEAN[::-1], None, CLEAN), 0.0, atol=1e-4)
    # One row of four has left for a place at a right angle to all others.
    gone = np.concatenate([CLEAN[:3], -CLEAN[:1]])
    np.testing.assert_allclose(loss(gone, None, CLEAN), 0.25, atol=1e-3)


def test_gradient_is_that_of_the_cost_with_the_plan_held():
    scores = tf.constant(CLEAN + 0.1 * np.arange(16.0).reshape(4, 4).astype("f"))
    with tf.GradientTape() as tape:
        tape.watch(scores)
        value = TransportLoss(regularizer=0.05)(scores, None, CLEAN)
    slope = tape.gradient(value, scores).numpy()
    moved = TransportLoss(regularizer=0.05)(scores + 1e-2 * slope, None, CLEAN)
    assert np.abs(slope).max() > 1e-3 and moved > value


def test_impossible_arguments_are_refused():
    with pytest.raises(ValueError, match="regularizer=0"):
        TransportLoss(regularizer=0.0)
    with pytest.raises(ValueError, match="TransportLoss, targeted=True"):
        PGD(0.1, 0.1, 1, loss="TransportLoss", targeted=True)
