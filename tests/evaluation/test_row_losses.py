"""Losses of rows: values, gradients, and the parts of the objective."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.evaluation.row_losses import RowLosses
from bdlzoo.methods import SGLD, DeepEnsemble
from tests.evaluation import influence_cases as cases


def test_gradients_of_rows_are_the_closed_form_and_average_to_the_objective():
    (x, y), _ = cases.data()
    losses = RowLosses(cases.logistic(), (x, y), likelihood="categorical")
    at = losses.head.vector
    rows = losses.gradients(at, losses.hidden, losses.y, losses.losses).numpy()
    np.testing.assert_allclose(rows, cases.gradients(x, y), atol=1e-5)
    _, slope = losses.objective(at)
    np.testing.assert_allclose(slope, rows.mean(axis=0) + 2 * cases.L2 * at, atol=1e-6)
    _, fewer = losses.objective(at, left_out=[3])
    own = rows[3] + 2 * cases.L2 * at
    np.testing.assert_allclose(slope - fewer, own / len(x), atol=1e-6)


def test_prior_of_a_model_stays_when_a_row_leaves():
    (x, y), _ = cases.data()
    losses = RowLosses(cases.dropout(), (x, y), num_samples=2)
    at = losses.head.vector
    rows = losses.gradients(at, losses.hidden, losses.y, losses.losses).numpy()
    _, slope = losses.objective(at)
    _, fewer = losses.objective(at, left_out=[3])
    np.testing.assert_allclose(slope - fewer, rows[3] / len(x), atol=1e-6)
    expected = float(cases.dropout().kl()) / len(x)
    assert float(losses.penalty(at)) == pytest.approx(expected, rel=1e-5)


def test_members_of_an_ensemble_are_draws():
    (x, y), _ = cases.data()
    network = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3)])
    model = DeepEnsemble(network, num_members=2, seed=0)
    losses = RowLosses(model, (x, y))
    assert losses.num_samples == 2 and losses.head.size == 2 * 15
    draws = losses.draws(losses.head.vector, tf.constant(x))
    np.testing.assert_allclose(draws, model.sample_outputs(x, 2), atol=1e-5)


def test_samplers_are_refused():
    network = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3)])
    model = SGLD(network, num_kept=2, seed=0)
    (x, y), _ = cases.data()
    model.compile(keras.optimizers.SGD(1e-3))
    model.fit(x, y, epochs=4, batch_size=20, verbose=0)
    with pytest.raises(ValueError, match="samples of a chain"):
        RowLosses(model, (x, y))
