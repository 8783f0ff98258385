"""Exploration in Deep Sea, at the size of a toy."""

import numpy as np
import pytest

from bdlzoo.worlds import DeepSea
from tools.reproduce import thompson_deep_sea as experiment


@pytest.mark.parametrize("agent", ["random", "ensemble"])
def test_steps_are_counted_until_it_is_solved(agent):
    found = experiment.run(agent=agent, size=3, episodes=200, every=20, units=16)
    assert found["steps_to_solve"] == 3 * found["episodes_to_solve"]
    if found["solved"]:
        assert 64 <= found["steps_to_solve"] <= 600
    else:
        assert found["steps_to_solve"] == 600


@pytest.mark.parametrize("agent", experiment.AGENTS)
def test_all_agents_are_built(agent):
    model = experiment.build(agent, DeepSea(3), 0, units=4)
    model.build_for(DeepSea(3))
    assert model.compiled and model.num_worlds == 4


def test_goal_ends_the_training():
    class Model:
        stop_training = False

        def evaluate(self, world, episodes, greedy):
            return {"return": 0.5}

    until = experiment.UntilSolved(DeepSea(3), 0.6)
    until.set_model(Model())
    until.on_epoch_end(0, {"world_steps": 10.0})
    assert until.steps is None and not until.model.stop_training
    until.goal = 0.5
    until.on_epoch_end(1, {"world_steps": 20.0})
    assert until.steps == 20.0 and until.model.stop_training
    with pytest.raises(ValueError, match="agent='luck'"):
        experiment.build("luck", DeepSea(3), 0)


def test_curves_are_shares_of_solved_seeds():
    rows = [{"label": "ensemble", "scores": [
        {"solved": solved, "steps_to_solve": steps}
        for solved, steps in ((1.0, 50.0), (1.0, 10.0), (0.0, 100.0))]}]
    [(steps, shares)] = experiment.curves(rows)["lines"]["ensemble"]
    assert steps[0] == 0.0 and steps[-1] == 100.0
    for place, share in ((9.5, 0.0), (10.0, 1 / 3), (49.5, 1 / 3), (50.0, 2 / 3),
                         (100.0, 2 / 3)):
        np.testing.assert_allclose(shares[steps == place], share)
