"""Rooms and doors, at the size of a toy."""

import numpy as np
import pytest

from bdlzoo.worlds import Rooms
from tests.worlds import cases
from tools.reproduce import rooms_gradients as experiment


@pytest.mark.parametrize("agent", experiment.AGENTS)
def test_looks_go_on_until_the_steps_are_used_up(agent):
    options = {"budget": 20} if agent == "direct" else {}
    found = experiment.run(agent=agent, steps=600, num_episodes=2, test_episodes=3,
                           units=4, **options)
    last = max(int(name.rpartition("_")[2]) for name in found
               if name.startswith("finished_"))
    assert found["finished"] == found[f"finished_{last}"]
    assert found[f"steps_{last}"] >= 600 > found.get(f"steps_{last - 1}", 0)
    assert found["steps_to_goal"] <= found[f"steps_{last}"]
    assert found["nodes_per_second"] > 0


def test_agents_have_names():
    with pytest.raises(ValueError, match="agent='luck'"):
        experiment.build("luck", Rooms(), 0)


@pytest.mark.slow
def test_bounds_of_minigrid_hold():
    pytest.importorskip("minigrid")
    world = experiment.multi_room()
    cases.check_restorable(world)
    state, seen, rewards = world.start([1, 2, 3]), [], []
    for time in range(12):
        seen.append(world.bounds(state, 0.97))
        step = world.step(state, np.array([time % 3 + 0, 2, 5 if time % 2 else 1]))
        rewards.append(step.rewards)
        state = step.state
    total = np.zeros(3)
    for (lower, upper), found in zip(reversed(seen), reversed(rewards)):
        total = found + 0.97 * total
        assert (total <= upper + 1e-9).all() and (total >= lower - 1e-9).all()
