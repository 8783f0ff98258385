"""Speed of worlds: what is counted."""

import numpy as np
import pytest

from tools.reproduce import world_speed


@pytest.mark.parametrize("world", ["DeepSea", "search"])
def test_steps_and_microseconds_agree(world):
    found = world_speed.run(world=world, seconds=0.05)
    np.testing.assert_allclose(
        found["steps_per_second"] * found["microseconds"], 1e6)
    assert found["steps_per_second"] > 100


def test_all_steps_of_a_search_are_counted():
    go = world_speed._searching(0)
    assert go() == go() and 16 * 1 < go() <= 16 * (40 + 100 + 1)
    assert world_speed._stepping("Rooms", 0)() == 64
    with pytest.raises(ValueError, match="world='Mars'"):
        world_speed.run(world="Mars")
