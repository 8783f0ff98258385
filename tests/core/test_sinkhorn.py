"""Sinkhorn's plan has its marginals, and the best cost in its limit."""

import numpy as np
import tensorflow as tf
from scipy import optimize

from bdlzoo.core import sinkhorn

COST = np.random.default_rng(0).uniform(size=(6, 6)).astype("float32")


def test_rows_and_columns_sum_to_their_shares():
    cost = np.random.default_rng(1).uniform(size=(5, 8)).astype("float32")
    plan = sinkhorn.plan(tf.constant(cost), 0.05, 200, 1e-5).numpy()
    np.testing.assert_allclose(plan.sum(axis=1), 1 / 5, rtol=1e-3)
    np.testing.assert_allclose(plan.sum(axis=0), 1 / 8, rtol=1e-4)
    loose = sinkhorn.plan(tf.constant(cost)).numpy()  # As released, it ends early.
    np.testing.assert_allclose(loose.sum(axis=0), 1 / 8, rtol=1e-3)
    assert np.abs(loose.sum(axis=1) - 1 / 5).max() > 1e-2


def test_cost_is_that_of_the_best_assignment():
    rows, columns = optimize.linear_sum_assignment(COST)
    best = COST[rows, columns].mean()
    plan = sinkhorn.plan(tf.constant(COST), 0.005, 200, 1e-6).numpy()
    np.testing.assert_allclose(np.sum(plan * COST), best, rtol=3e-2)


def test_plan_is_constant_where_the_cost_is_differentiated():
    cost = tf.constant(COST)
    with tf.GradientTape() as tape:
        tape.watch(cost)
        plan = sinkhorn.plan(cost, 0.1)
        total = tf.reduce_sum(plan * cost)
    np.testing.assert_allclose(tape.gradient(total, cost), plan, rtol=1e-6)
