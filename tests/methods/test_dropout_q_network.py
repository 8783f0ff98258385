"""Dropout Q-networks: Thompson sampling by masks."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.families.acting import Acting
from bdlzoo.methods import DropoutQNetwork
from tests.families import q_cases

SEEN = np.eye(9, dtype="float32").reshape(9, 3, 3)


def _two_arms(rate=0.5):
    """Q1 is 2 or 0 and Q2 is 1.2 or 0, each by a mask of its own."""
    made = keras.Sequential([
        keras.Input((2,)), keras.layers.Dropout(rate),
        keras.layers.Dense(2, use_bias=True)])
    made.set_weights([np.diag([1.0, 0.6]), np.array([0.0, 0.01])])
    return q_cases.agent(DropoutQNetwork, made, num_samples=4000)


def test_actions_are_taken_as_often_as_they_are_the_best():
    """P(Q1 > Q2) is that of the mask of the first arm."""
    model = _two_arms(0.3)
    seen = np.ones((1, 2), "float32")
    np.testing.assert_allclose(model.act(seen).probabilities[0], [0.7, 0.3], atol=0.04)
    many = np.ones((3000, 2), "float32")
    values = model._explored(many, tf.range(3000, dtype=tf.int64)).numpy()
    np.testing.assert_allclose((values[:, 0] > values[:, 1]).mean(), 0.7, atol=0.04)
    np.testing.assert_allclose(np.unique(values[:, 0]), [0.0, 1.0 / 0.7], rtol=1e-5)


def test_without_dropout_it_is_greedy():
    model = q_cases.agent(DropoutQNetwork, q_cases.network(
        0.0, kernel=q_cases.table()))
    choice = model.act(SEEN, seed=3)
    np.testing.assert_array_equal(choice.action, q_cases.table().argmax(axis=1))
    np.testing.assert_allclose(choice.probability, 1.0)
    np.testing.assert_allclose(choice.spread, 0.0, atol=1e-6)


def test_mask_of_an_episode_stays_and_others_differ():
    model = q_cases.agent(DropoutQNetwork, q_cases.network(
        0.5, kernel=q_cases.table()))
    one, again, other = (model._explored(SEEN, tf.fill([9], tf.constant(
        number, tf.int64))).numpy() for number in (1, 1, 2))
    np.testing.assert_array_equal(one, again)
    assert (one != other).any()
    dropped = np.flatnonzero((one == 0.0).all(axis=1))
    assert 0 < len(dropped) < 9
    # All rows of one number have one mask: the masks of other rows are the same.
    part = model._explored(SEEN[4:], tf.fill([5], tf.constant(1, tf.int64)))
    np.testing.assert_allclose(part, one[4:], rtol=1e-6)


@pytest.mark.parametrize("target", ["mean", "draw"])
def test_target_network_has_dropout_off_unless_asked(target):
    model = q_cases.agent(DropoutQNetwork, q_cases.network(
        0.5, kernel=q_cases.table()), target=target, double=False)
    values = model.values_for(model.posterior, SEEN, noise.key(0, noise.TRAIN))[0]
    assert np.allclose(values, q_cases.table(), rtol=1e-5) == (target == "mean")


def test_training_has_dropout_on_and_moves_the_weights():
    made = q_cases.network(0.5, kernel=q_cases.table())
    model = q_cases.agent(DropoutQNetwork, made, num_worlds=8, prior_scale=1.0)
    acting = Acting(q_cases.WORLD, 1, model.memory_for(q_cases.WORLD))
    batch = model.collect(acting, 0)
    losses = {float(model.objective(*batch, None, noise.key(0, step))[0]["loss"])
              for step in range(4)}
    assert len(losses) == 4


def test_treasure_is_found_in_a_small_sea():
    keras.utils.set_random_seed(1)
    made = keras.Sequential([
        keras.Input((4, 4)), keras.layers.Flatten(), keras.layers.Dense(32, "relu"),
        keras.layers.Dropout(0.1), keras.layers.Dense(2)])
    model = DropoutQNetwork(made, num_worlds=8, warm_up=64, target_every=20, seed=1)
    model.compile(keras.optimizers.Adam(0.01))
    world = type(q_cases.WORLD)(4)
    model.fit(world, episodes=600, epochs=2, verbose=0)
    assert model.evaluate(world, 2, greedy=True)["return"] > 0.9
