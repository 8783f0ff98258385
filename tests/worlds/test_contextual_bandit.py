"""Contextual bandits: means, regrets and noise."""

import numpy as np

from bdlzoo.worlds import ContextualBandit
from tests.worlds import cases


def test_rewards_are_spread_around_their_means():
    world = ContextualBandit(num_arms=3, num_features=4, noise_scale=0.3)
    state = world.start(np.arange(4000))
    actions = np.arange(4000) % 3
    step = world.step(state, actions)
    means = world.means(world.observe(state))
    gaps = step.rewards - means[np.arange(4000), actions]
    assert abs(gaps.mean()) < 0.025 and step.ended.all() and step.terminal.all()
    np.testing.assert_allclose(gaps.std(), 0.3, rtol=0.05)
    regrets = world.regrets(world.observe(state), means.argmax(axis=1))
    np.testing.assert_array_equal(regrets, 0.0)
    assert world.regrets(world.observe(state), actions).mean() > 0.1


def test_bandit_without_bend_is_linear():
    world = ContextualBandit(bend=0.0, noise_scale=0.0)
    x = world.observe(world.start(np.arange(3)))
    np.testing.assert_allclose(world.means(x[:1] + x[1:2]),
                               world.means(x[:1]) + world.means(x[1:2]), atol=1e-6)
    other = ContextualBandit(bend=0.0, task=1)
    assert np.abs(other.means(x) - world.means(x)).max() > 0.1


def test_world_is_restorable():
    cases.check_restorable(ContextualBandit())
    cases.check_side_by_side(ContextualBandit())
    assert ContextualBandit(4).picture(ContextualBandit(4).start([0])).shape == (
        16, 64, 3)
