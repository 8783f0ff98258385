"""Rooms: doors, walls, goals, and what an agent sees of them."""

import collections

import numpy as np
import pytest

from bdlzoo.worlds import Rooms
from tests.worlds import cases


def _best(world, seed, discount):
    """Best discounted return, by a search through all states."""
    first = world.start([seed])
    best, layer = 0.0, {_key(first): (0.0, first)}
    for time in range(world.horizon):
        found = collections.defaultdict(lambda: (-1.0, None))
        for gain, state in layer.values():
            for action in range(world.num_actions):
                step = world.step(state, np.array([action]))
                total = gain + discount**time * step.rewards[0]
                best = max(best, total)
                if not step.ended[0] and total > found[_key(step.state)][0]:
                    found[_key(step.state)] = total, step.state
        layer = found
    return best


def _key(state):
    return (*state["place"][0], *state["open"][0])


def test_bound_is_the_best_return():
    for world in (Rooms(2, 3, horizon=16), Rooms(3, 2, horizon=12)):
        for seed in range(4):
            best = _best(world, seed, 0.95)
            [upper] = world.bounds(world.start([seed]), 0.95)[1]
            np.testing.assert_allclose(upper, best)
            assert best > 0.25


def test_door_opens_once_and_lets_the_agent_through():
    world = Rooms(2, 3)
    state = {**world.start([0]), "place": np.array([[2, 3]]),
             "door_rows": np.array([[2]])}
    blocked = world.step(state, np.array([3]))
    np.testing.assert_array_equal(blocked.state["place"], [[2, 3]])
    opened = world.step(state, np.array([4]))
    assert opened.rewards == 0.3 and opened.state["open"].all()
    assert world.step(opened.state, np.array([4])).rewards == 0.0
    through = world.step(opened.state, np.array([3])).state
    np.testing.assert_array_equal(through["place"], [[2, 4]])
    wall = world.step({**state, "door_rows": np.array([[1]]),
                       "open": np.array([[True]])}, np.array([3]))
    np.testing.assert_array_equal(wall.state["place"], [[2, 3]])


def test_goal_ends_the_episode_and_time_does():
    world = Rooms(1, 3, horizon=2)
    state = {**world.start([0]), "place": np.array([[1, 1]]),
             "goal": np.array([[1, 2]])}
    step = world.step(state, np.array([3]))
    assert step.rewards == 1.0 and step.terminal.all() and step.ended.all()
    later = world.step(world.step(state, np.array([4])).state, np.array([4]))
    assert later.ended.all() and not later.terminal.any()


def test_view_has_the_agent_in_the_middle():
    world = Rooms(2, 3, view=3)
    state = {**world.start([0]), "place": np.array([[2, 3]]),
             "door_rows": np.array([[2]]), "goal": np.array([[1, 3]])}
    wall, closed, opened, goal = world.observe(state)[0].transpose(2, 0, 1)
    np.testing.assert_array_equal(wall, [[0, 0, 1], [0, 0, 0], [0, 0, 1]])
    np.testing.assert_array_equal(closed, [[0, 0, 0], [0, 0, 1], [0, 0, 0]])
    np.testing.assert_array_equal(goal, [[0, 1, 0], [0, 0, 0], [0, 0, 0]])
    assert not opened.any()
    after = world.observe(world.step(state, np.array([4])).state)[0]
    assert after[1, 2, 2] == 1.0 and after[1, 2, 1] == 0.0


def test_episodes_differ_and_start_away_from_the_goal():
    world = Rooms(1, 2)
    state = world.start(np.arange(300))
    assert (state["place"] != state["goal"]).any(axis=1).all()
    wide = Rooms(3, 4).start(np.arange(300))
    assert len(np.unique(wide["door_rows"], axis=0)) > 10
    assert wide["goal"][:, 1].min() > 10 and wide["place"][:, 1].max() < 5


def test_world_is_restorable_and_bounds_hold():
    world = Rooms(3, 3)
    cases.check_restorable(world)
    cases.check_bounds(world)
    cases.check_side_by_side(world)
    assert world.picture(world.start([0])).shape == (80, 208, 3)


@pytest.mark.parametrize("options, words", [
    ({"view": 4}, "odd number.*view=4"), ({"door_bonus": -1}, "door_bonus=-1"),
    ({"num_rooms": 0}, "num_rooms=0")])
def test_wrong_rooms_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        Rooms(**options)
