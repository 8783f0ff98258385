"""What an agent has seen: the newest steps in a world, drawn again for training."""

import numpy as np

from bdlzoo.core import counter_noise
from bdlzoo.core.checks import check_count


class Replay:
    """Keeps the newest steps, and draws from them with equal probabilities.

    Args:
        size: Integer, steps that are kept.
        shape: Shape of an observation.
        seed: Integer, seed of the draws.
    """

    def __init__(self, size, shape, seed=0):
        check_count("size", size)
        self.size, self.seed, self.count = size, seed, 0
        self.arrays = {
            "seen": np.zeros((size, *shape), "float32"),
            "later": np.zeros((size, *shape), "float32"),
            "actions": np.zeros(size, "int32"), "rewards": np.zeros(size, "float32"),
            "terminal": np.zeros(size, bool)}

    def __len__(self):
        return min(self.count, self.size)

    def add(self, **steps):
        """Adds steps, in the place of the oldest ones.

        Args:
            **steps: Arrays `[N, ...]`: `seen`, `actions`, `rewards`, `later` (what is
                seen afterwards) and `terminal`.
        """
        number = len(steps["actions"])
        places = (self.count + np.arange(number)) % self.size
        for name, array in self.arrays.items():
            array[places] = steps[name]
        self.count += number

    def draw(self, number, step):
        """Steps for a batch: arrays by name `[number, ...]`.

        Args:
            number: Integer.
            step: Integer, the training step, which decides the draw.
        """
        places = counter_noise.integers(
            len(self), self.seed, counter_noise.REPLAY, step, np.arange(number))
        return {name: array[places] for name, array in self.arrays.items()}

    def state(self):
        """All that must be known to go on: arrays by name."""
        return {"count": np.int64(self.count), **{
            name: array[:len(self)] for name, array in self.arrays.items()}}

    def restore(self, state):
        """Takes back what `state` returned.

        Args:
            state: Dictionary of arrays by name.
        """
        self.count = int(state["count"])
        for name, array in self.arrays.items():
            array[:len(self)] = state[name]
