"""Replay: which steps are kept, and how they are drawn."""

import numpy as np
import pytest
from scipy import stats

from bdlzoo.families.replay import Replay


def _filled(size=10, count=4):
    replay = Replay(size, (2,), seed=3)
    for start in range(0, count, 2):
        numbers = np.arange(start, start + 2)
        replay.add(seen=np.stack([numbers, numbers], 1), later=np.ones((2, 2)),
                   actions=numbers, rewards=numbers / 2, terminal=numbers > 2)
    return replay


def test_newest_steps_are_kept():
    replay = _filled(size=5, count=8)
    assert len(replay) == 5 and replay.count == 8
    assert sorted(replay.arrays["actions"]) == [3, 4, 5, 6, 7]
    np.testing.assert_allclose(replay.arrays["rewards"],
                               replay.arrays["actions"] / 2)


def test_draws_are_uniform_and_functions_of_the_step():
    replay = _filled()
    drawn = np.concatenate([replay.draw(50, step)["actions"] for step in range(40)])
    assert stats.chisquare(np.bincount(drawn, minlength=4)).pvalue > 1e-4
    one, other = replay.draw(50, 7), replay.draw(50, 7)
    np.testing.assert_array_equal(one["seen"], other["seen"])
    np.testing.assert_array_equal(one["seen"][:, 0], one["actions"])
    assert (one["actions"] != replay.draw(50, 8)["actions"]).any()


@pytest.mark.parametrize("count", [4, 14])
def test_state_is_all_there_is(count):
    replay, again = _filled(count=count), Replay(10, (2,), seed=3)
    again.restore(replay.state())
    for name, array in again.draw(30, 5).items():
        np.testing.assert_array_equal(array, replay.draw(30, 5)[name])
    assert len(again) == len(replay) and again.count == replay.count


def test_size_is_checked():
    with pytest.raises(ValueError, match="size=0"):
        Replay(0, (2,))
