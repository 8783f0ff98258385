"""The base of worlds, and what is done to rows of states."""

import numpy as np
import pytest

from bdlzoo.worlds import DeepSea, World, as_world
from bdlzoo.worlds.world import joined, rows


def test_wrong_actions_are_refused():
    world = DeepSea(3)
    state = world.start([0, 1])
    for actions in ([0, 2], [0], [-1, 0], [0.5, 0.5]):
        with pytest.raises(ValueError, match="action from 0 to 1 for each of 2 rows"):
            world.step(state, actions)
    with pytest.raises(ValueError, match="num_actions=0"):
        World(0, (1,), 1)


def test_rows_are_taken_and_joined():
    state = DeepSea(3).start([4, 5, 6])
    both = joined([rows(state, [2]), rows(state, slice(0, 2))])
    np.testing.assert_array_equal(both["seed"], [6, 4, 5])
    np.testing.assert_array_equal(DeepSea(3).left(both), [3, 3, 3])


def test_world_says_what_it_lacks():
    class Plain(World):
        def __init__(self):
            super().__init__(2, (1,), 1)

        def begin(self, seeds):
            return {}

    world = Plain()
    lower, upper = world.bounds(world.start([0]))
    assert lower == -np.inf and upper == np.inf
    with pytest.raises(ValueError, match="picture.*Plain"):
        world.picture(world.start([0]))
    for word, arguments in (("move", ({}, [])), ("observe", ({},))):
        with pytest.raises(NotImplementedError):
            getattr(world, word)(*arguments)
    with pytest.raises(NotImplementedError):
        World(2, (1,), 1).begin([0])
    with pytest.raises(ValueError, match="type list"):
        as_world([])
    assert as_world(world) is world
