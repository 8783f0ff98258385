"""Worlds of the tests, and what every one of them must do."""

import numpy as np

from bdlzoo.core import counter_noise
from bdlzoo.worlds import SideBySide


def actions_of(world, count, time):
    """Actions `[count]` that look random."""
    return counter_noise.integers(world.num_actions, 99, time, np.arange(count))


def check_restorable(world, seeds=(3, 4, 5), steps=12):
    """An old state goes on as before, alone or among others, to the last bit."""
    state, past = world.start(seeds), []
    for time in range(min(steps, world.horizon)):
        found = world.step(state, actions_of(world, len(seeds), time))
        past.append((state, time, found, world.observe(found.state)))
        state = found.state
    for state, time, found, seen in reversed(past):
        again = world.step(state, actions_of(world, len(seeds), time))
        np.testing.assert_array_equal(again.rewards, found.rewards)
        np.testing.assert_array_equal(world.observe(again.state), seen)
        row = {name: array[1:2] for name, array in state.items()}
        alone = world.step(row, actions_of(world, len(seeds), time)[1:2])
        np.testing.assert_array_equal(alone.rewards, found.rewards[1:2])
        np.testing.assert_allclose(world.observe(alone.state), seen[1:2], atol=1e-6)


def check_bounds(world, discount=0.97, count=200):
    """Whatever is done, the rewards to come stay between the bounds."""
    state, seen = world.start(np.arange(count)), []
    running = np.ones(count, bool)
    while running.any():
        time = len(seen)
        step = world.step(state, actions_of(world, count, time))
        seen.append((world.bounds(state, discount), step.rewards * running,
                     running.copy()))
        state, running = step.state, running & ~step.ended
    to_come = np.zeros(count)
    for (lower, upper), rewards, there in reversed(seen):
        to_come = rewards + discount * to_come
        assert (to_come <= upper + 1e-9)[there].all()
        assert (to_come >= lower - 1e-9)[there].all()


def check_side_by_side(world, count=6, steps=15):
    """Goes on from a saved state as if nothing had happened."""
    one, other = (SideBySide(world, count, seed=1) for _ in range(2))
    for time in range(steps):
        one.step(actions_of(world, count, time))
    other.restore({name: np.array(array) for name, array in one.state().items()})
    for time in range(steps):
        np.testing.assert_array_equal(one.observe(), other.observe())
        (step, finished), (same, again) = (
            running.step(actions_of(world, count, time)) for running in (one, other))
        np.testing.assert_array_equal(step.rewards, same.rewards)
        np.testing.assert_array_equal(finished, again)
