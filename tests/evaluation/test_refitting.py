"""Training of the last weights to their minimum."""

import keras
import numpy as np

from bdlzoo.evaluation import refit
from bdlzoo.evaluation.row_losses import RowLosses
from tests.evaluation import influence_cases as cases


def test_minimum_has_no_gradient():
    (x, y), _ = cases.data()
    losses = RowLosses(cases.logistic(), (x, y), likelihood="categorical")
    value, slope = losses.objective(losses.head.vector)
    assert np.linalg.norm(slope) < 1e-6
    closed = cases.gradients(x, y).mean(axis=0) + 2 * cases.L2 * cases.weights()
    assert np.abs(closed).max() < 1e-6
    assert value < np.log(3)


def test_only_the_chosen_layers_move_also_below_a_softmax():
    keras.utils.set_random_seed(0)
    model = keras.Sequential([
        keras.Input((4,)), keras.layers.Dense(6, activation="tanh"),
        keras.layers.Dense(3, activation="softmax", kernel_regularizer="l2",
                           bias_regularizer="l2")])
    train, _ = cases.data()
    before = model.get_weights()
    assert refit(model, train) < 1e-3
    after = model.get_weights()
    for old, new in zip(before[:2], after[:2]):
        np.testing.assert_array_equal(old, new)
    assert np.abs(before[2] - after[2]).max() > 0.1
