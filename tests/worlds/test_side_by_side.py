"""Episodes side by side."""

import numpy as np
import pytest

from bdlzoo.worlds import DeepSea, SideBySide


def test_episodes_start_again_and_their_returns_are_told():
    running = SideBySide(DeepSea(2, cost=0.25), count=3, seed=5)
    first = running.current["seed"].copy()
    _, finished = running.step(np.array([0, 1, 1]))
    assert not len(finished)
    step, finished = running.step(np.array([0, 0, 1]))
    np.testing.assert_allclose(finished, [0.0, -0.25, 0.75])
    assert step.state["row"].max() == 2 and (running.current["row"] == 0).all()
    np.testing.assert_array_equal(running.episodes, [3, 4, 5])
    np.testing.assert_array_equal(running.returns, 0.0)
    assert not np.intersect1d(first, running.current["seed"]).size
    with pytest.raises(ValueError, match="count=0"):
        SideBySide(DeepSea(), count=0)


def test_seed_decides_the_episodes():
    seeds = [SideBySide(DeepSea(2), 4, seed).current["seed"] for seed in (0, 0, 1)]
    np.testing.assert_array_equal(seeds[0], seeds[1])
    assert not np.intersect1d(seeds[0], seeds[2]).size
