"""Foraging, at the size of a toy."""

import numpy as np

from tools.reproduce import thompson_foraging as experiment


def test_looks_are_summed_up():
    found = experiment.run(agent="epsilon_greedy", steps=400, horizon=10,
                           test_episodes=2, num_worlds=4, units=4)
    returns = [found[f"return_{place}"] for place in range(1, 11)]
    np.testing.assert_allclose(found["return_mean"], np.mean(returns))
    assert found["return_end"] == returns[-1]
    steps = [found[f"steps_{place}"] for place in range(1, 11)]
    assert steps == sorted(steps) and steps[0] >= 1000
    good = [step for step, value in zip(steps, returns)
            if value >= max(returns) - 0.1 * abs(max(returns))]
    assert found["steps_to_goal"] == good[0]
