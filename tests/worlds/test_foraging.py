"""Foraging: what eyes see, what is eaten, and how fast it is."""

import time

import numpy as np

from bdlzoo.worlds import Foraging, SideBySide
from tests.worlds import cases


def _at(world, body, heading, things):
    """A state with chosen places."""
    state = world.start([0])
    return world._seen({**state, "body": np.array([body]),
                        "heading": np.array([heading]), "things": np.array([things])})


def test_eyes_see_the_nearest_thing_in_their_direction():
    world = Foraging(num_eyes=3, num_things=2)  # The first is red.
    seen = world.observe(_at(world, (0.5, 0.5), 0.0, [(0.62, 0.5), (0.55, 0.5)]))[0]
    # Straight ahead the yellow one, 0.05 away but for its radius, hides the red one.
    np.testing.assert_allclose(seen[1], [0.0, 0.0, 1.0 - 0.02 / 0.4], atol=1e-6)
    behind = world.observe(_at(world, (0.5, 0.5), np.pi, [(0.62, 0.5), (0.55, 0.5)]))
    wall = 1.0 - (0.5 - 0.34) / 0.4
    np.testing.assert_allclose(behind[0][1], [wall, 0.0, 0.0], atol=1e-6)


def test_eye_sees_the_outer_wall():
    world = Foraging(num_eyes=1, num_things=1)
    seen = world.observe(_at(world, (0.5, 0.9), np.pi / 2, [(0.1, 0.1)]))
    np.testing.assert_allclose(seen[0, 0], [1.0 - 0.1 / 0.4, 0.0, 0.0], atol=1e-6)


def test_red_is_good_yellow_is_bad_and_both_grow_again():
    world = Foraging(num_eyes=1, num_things=2)
    for place, reward in (((0.53, 0.5), 1.0), ((0.1, 0.9), 0.0)):
        state = _at(world, (0.5, 0.5), 0.0, [place, (0.9, 0.9)])
        step = world.step(state, np.array([0]))
        np.testing.assert_allclose(step.rewards, reward)
        assert (step.state["born"][0, 0] == 1) == (reward == 1.0)
    state = _at(world, (0.5, 0.5), 0.0, [(0.9, 0.9), (0.53, 0.5)])
    step = world.step(state, np.array([0]))
    np.testing.assert_allclose(step.rewards, -1.0)
    assert np.abs(step.state["things"][0, 1] - [0.53, 0.5]).max() > 0.01


def test_walls_stop_and_cost_and_a_clear_way_pays():
    world = Foraging(num_eyes=1, num_things=1)
    bumped = world.step(_at(world, (0.97, 0.8), 0.0, [(0.1, 0.1)]), np.array([2]))
    np.testing.assert_allclose(bumped.rewards, -0.1)
    np.testing.assert_allclose(bumped.state["body"], [[0.97, 0.8]])
    clear = world.step(_at(world, (0.5, 0.2), np.pi / 2, [(0.1, 0.1)]), np.array([2]))
    np.testing.assert_allclose(clear.rewards, 0.02)


def test_world_is_restorable():
    world = Foraging(horizon=10)
    cases.check_restorable(world)
    cases.check_side_by_side(world)
    picture = world.picture(world.start([0]))
    assert picture.shape == (256, 256, 3) and len(np.unique(
        picture.reshape(-1, 3), axis=0)) == 5


def test_world_is_fast():
    """20,000 steps a second are asked for, on an idle machine."""
    running = SideBySide(Foraging(), 64)
    actions = np.full(64, 2)
    rates = []
    for _ in range(3):
        start = time.process_time()
        for _ in range(40):
            running.observe()
            running.step(actions)
        rates.append(40 * 64 / (time.process_time() - start))
    assert max(rates) > 10000
