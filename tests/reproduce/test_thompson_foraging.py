"""Foraging, at the size of a toy."""

import numpy as np
import pytest

from tools.reproduce import thompson_foraging as experiment


@pytest.mark.parametrize("goal", [-99.0, 99.0])
def test_looks_are_summed_up(goal):
    found = experiment.run(agent="epsilon_greedy", steps=400, horizon=10,
                           test_episodes=2, num_worlds=4, units=4, goal=goal)
    returns = [found[f"return_{place}"] for place in range(1, 11)]
    np.testing.assert_allclose(found["return_mean"], np.mean(returns))
    assert found["return_end"] == returns[-1]
    steps = [found[f"steps_{place}"] for place in range(1, 11)]
    assert steps == sorted(steps) and steps[0] >= 1000
    good = [step for step, value in zip(steps, returns) if value >= goal]
    assert found["steps_to_goal"] == [*good, steps[-1]][0]
    assert len(good) == (10 if goal < 0.0 else 0)
