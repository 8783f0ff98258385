"""Deep Sea: what plans are worth."""

import itertools

import numpy as np
import pytest

from bdlzoo.worlds import DeepSea
from tests.worlds import cases


def returns(world, plans, seed=0):
    """Sum of rewards of plans `[plans, steps]`."""
    state, total = world.start(np.full(len(plans), seed)), 0.0
    for actions in np.transpose(plans):
        step = world.step(state, actions)
        state, total = step.state, total + step.rewards
    assert step.terminal.all() and step.ended.all()
    return total


def test_only_one_plan_finds_the_treasure():
    world = DeepSea(4, cost=0.1, treasure=1.0)
    plans = np.array(list(itertools.product((0, 1), repeat=4)))
    expected = np.where(plans.all(axis=1), 1.0 - 0.3, -0.1 * plans.sum(axis=1))
    np.testing.assert_allclose(returns(world, plans), expected)


def test_treasure_is_that_of_the_seed():
    world = DeepSea(4, cost=1 / 3, treasure=1.0, spread=10.0)
    right = np.ones((2000, 4), int)
    state = world.start(np.arange(2000))
    for actions in right.T:
        step = world.step(state, actions)
        state = step.state
    value = step.rewards
    np.testing.assert_array_equal(value, world.value(state))
    np.testing.assert_allclose(value.mean(), 1.0, atol=1.0)
    np.testing.assert_allclose(value.std(), 10.0, rtol=0.1)
    found = returns(world, right[:1], seed=7)
    np.testing.assert_allclose(found, world.value(world.start([7])) - 1.0)


def test_shuffled_actions_differ_between_cells_and_keep_the_best_plan():
    world = DeepSea(6, shuffled=True)
    plans = np.array(list(itertools.product((0, 1), repeat=6)))
    found = returns(world, plans)
    assert (found > 0.5).sum() == 1 and 0 < plans[found.argmax()].sum() < 6
    assert world.action_names is None and DeepSea(6).action_names == ("left", "right")


@pytest.mark.parametrize("options", [{}, {"spread": 5.0}, {"shuffled": True}])
def test_world_is_restorable_and_bounds_hold(options):
    world = DeepSea(5, cost=0.2, **options)
    cases.check_restorable(world)
    cases.check_bounds(world)
    cases.check_bounds(world, discount=1.0)
    cases.check_side_by_side(world)


def test_best_plan_reaches_the_bound():
    world = DeepSea(5, cost=0.1)
    [upper] = world.bounds(world.start([0]))[1]
    np.testing.assert_allclose(upper, returns(world, np.ones((1, 5), int)))
    [lower] = DeepSea(5, treasure=-9.0).bounds(world.start([0]))[0]
    assert lower < -8.9


def test_picture_shows_the_diver_and_the_treasure():
    world = DeepSea(3)
    picture = world.picture(world.start([0]))
    assert picture.shape == (48, 48, 3) and picture.dtype == np.uint8
    moved = world.picture(world.step(world.start([0]), np.array([1])).state)
    assert (picture != moved).any()
