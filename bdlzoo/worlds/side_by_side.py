"""Episodes side by side, each of which starts again when it is over."""

import numpy as np

from bdlzoo.core import counter_noise
from bdlzoo.core.checks import check_count
from bdlzoo.worlds.gym_world import as_world


class SideBySide:
    """Acts in several copies of a world at once.

    The seed of an episode is a function of `seed` and of the number of episodes before
    it, so that `state` is all there is to remember.

    Args:
        world: `World`, or an environment of gymnasium.
        count: Integer, number of episodes that go on at a time.
        seed: Integer, of which the seeds of episodes are made.

    Example:

        running = bdlzoo.worlds.SideBySide(bdlzoo.worlds.DeepSea(), count=16)
        step = running.step(actions)
    """

    def __init__(self, world, count=1, seed=0):
        check_count("count", count)
        self.world = as_world(world)
        self.count = count
        self.seed = seed
        self.episodes = np.arange(count)  # Number of the episode of each copy.
        self.returns = np.zeros(count)  # Rewards of the episodes so far.
        self.current = self.world.start(self._seeds())
        self._next = count

    def observe(self):
        """What agents see now, `[count, *shape]`."""
        return self.world.observe(self.current)

    def step(self, actions):
        """Takes an action in each copy; those that are over start again.

        Args:
            actions: Integers `[count]`.

        Returns:
            The `Step`, whose state is that before any new start, and the returns of
            the episodes that are over, in the order of copies.
        """
        step = self.world.step(self.current, actions)
        self.returns = self.returns + step.rewards
        finished = self.returns[step.ended]
        self.current = step.state
        if step.ended.any():
            self.returns = np.where(step.ended, 0.0, self.returns)
            places = np.flatnonzero(step.ended)
            self.episodes = self.episodes.copy()
            self.episodes[places] = self._next + np.arange(len(places))
            self._next += len(places)
            fresh = self.world.start(self._seeds()[places])
            self.current = {name: _put(array, places, fresh[name])
                            for name, array in step.state.items()}
        return step, finished

    def state(self):
        """All that must be known to go on: arrays by name."""
        return {**{f"world_{name}": array for name, array in self.current.items()},
                "episodes": self.episodes, "returns": self.returns,
                "next": np.int64(self._next)}

    def restore(self, state):
        """Takes back what `state` returned.

        Args:
            state: Dictionary of arrays by name.
        """
        self.current = {name: np.asarray(state[f"world_{name}"])
                        for name in self.current}
        self.episodes = np.asarray(state["episodes"])
        self.returns = np.asarray(state["returns"])
        self._next = int(state["next"])

    def _seeds(self):
        return (counter_noise.words(self.seed, self.episodes) >> np.uint64(2)).astype(
            "int64")


def _put(array, places, fresh):
    array = array.copy()
    array[places] = fresh
    return array
