"""Whole episodes of a policy."""

import numpy as np

from bdlzoo.families.episodes import play
from bdlzoo.worlds import DeepSea, Rooms


def _right(seen):
    return np.tile([-3.0, 0.0], (len(seen), 1))


def test_returns_are_those_of_the_actions():
    world = DeepSea(3, cost=0.2)
    found = play(world, [0, 1], _right, [0, 1], discount=0.5, greedy=True)
    np.testing.assert_array_equal(found.actions, np.ones(6))
    np.testing.assert_allclose(found.totals, 0.6)
    np.testing.assert_allclose(found.returns, -0.2 - 0.1 + 0.25)
    np.testing.assert_array_equal(np.bincount(found.episode), [3, 3])
    assert found.finished.all()
    places = found.seen[found.episode == 1].reshape(3, -1).argmax(axis=1)
    np.testing.assert_array_equal(places, [0, 4, 8])


def test_actions_are_drawn_as_often_as_the_policy_says():
    def policy(seen):
        return np.log(np.tile([0.3, 0.7], (len(seen), 1)))

    found = play(DeepSea(2), np.arange(3000), policy, np.arange(3000))
    np.testing.assert_allclose(found.actions.mean(), 0.7, atol=0.03)
    pairs = found.actions.reshape(2, -1)
    assert abs(np.corrcoef(pairs)[0, 1]) < 0.1


def test_episodes_are_the_same_alone():
    world = Rooms(1, 3, horizon=8)

    def policy(seen):
        return np.tile(np.linspace(0, 1, 5), (len(seen), 1)) + seen.sum(
            axis=(1, 2))[:, :1]

    many = play(world, np.arange(20), policy, np.arange(20) + 5)
    assert 0 < many.finished.mean() < 1
    for seed in (3, 11):
        alone = play(world, [seed], policy, [seed + 5])
        np.testing.assert_array_equal(alone.actions, many.actions[many.episode == seed])
        assert alone.totals == many.totals[seed]
