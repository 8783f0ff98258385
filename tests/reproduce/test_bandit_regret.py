"""Contextual bandits, at the size of a toy."""

import numpy as np
import pytest

from bdlzoo.worlds import ContextualBandit
from tools.reproduce import bandit_regret as experiment


def test_regret_of_random_choices_is_that_of_the_world():
    found = experiment.run(epsilon=1.0, choices=400, units=4)
    world = ContextualBandit(task=0)
    x = world.observe(world.start(np.arange(4000)))
    mean = np.mean([world.regrets(x, np.full(4000, arm)).mean() for arm in range(5)])
    np.testing.assert_allclose(found["regret"], 400 * mean, rtol=0.15)
    np.testing.assert_allclose(found["regret_late"], mean, rtol=0.3)
    sums = [found[f"regret_{place}"] for place in range(1, 21)]
    assert sums == sorted(sums) and sums[-1] == found["regret"]
    np.testing.assert_allclose(sums[9], 200 * mean, rtol=0.3)
    assert [found[f"steps_{place}"] for place in (1, 20)] == [20, 400]


def test_what_is_learnt_has_less_regret_than_random_choices():
    """That of the arms that were taken: any one arm is as bad as random choices."""
    found = experiment.run(epsilon=0.1, choices=800)
    world = ContextualBandit(task=0)
    x = world.observe(world.start(np.arange(4000)))
    assert found["regret_late"] < 0.6 * world.regrets(x, np.zeros(4000, int)).mean()


@pytest.mark.parametrize("posterior", experiment.POSTERIORS)
def test_posterior_has_a_training_step(posterior):
    world = ContextualBandit()
    model = experiment.build(world, 0, posterior, units=4)
    x, y = experiment.first_batch(model, world)
    assert len(x) == 64 and y.shape[-1] == 2
    # Episodes of one step: targets are the rewards.
    assert np.isin(y[..., 1], y.reshape(-1, 2)[:, 1]).all()


def test_one_way_to_explore_is_asked_for():
    for options in ({}, {"posterior": "dropout", "epsilon": 0.1}):
        with pytest.raises(ValueError, match="either a posterior or an epsilon"):
            experiment.build(ContextualBandit(), 0, **options)
