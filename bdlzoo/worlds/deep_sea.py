"""Deep Sea: a treasure that only one of 2**N plans finds, and that costs to look for.

A diver sinks a row in each of N steps, and moves left or right. Right costs a little;
right in all N steps finds the treasure in the corner, whose value may be random.

Reference: Osband et al., Behaviour Suite for Reinforcement Learning, ICLR 2020;
Lorberbom et al., Direct Policy Gradients, NeurIPS 2020 (the random treasure).
"""

import numpy as np

from bdlzoo.core import counter_noise, registry
from bdlzoo.core.checks import check_count
from bdlzoo.worlds.drawing import tiles
from bdlzoo.worlds.world import World


@registry.register
class DeepSea(World):
    """A grid with a reward in one corner.

    Args:
        size: Integer N, rows, columns and steps of an episode.
        cost: Float, cost of a step to the right; `None` is 0.01 / N.
        treasure: Float, mean reward of the last step to the right in the corner, which
            takes the place of its cost.
        spread: Float, standard deviation of that reward over episodes.
        shuffled: Bool, whether the meaning of the two actions differs between cells, so
            that nothing is learnt about a cell from others.

    Example:

        world = bdlzoo.worlds.DeepSea(size=10)
        state = world.start([0, 1, 2])
        state, rewards, terminal, ended = world.step(state, [1, 1, 0])
    """

    action_names = ("left", "right")

    def __init__(self, size=10, cost=None, treasure=1.0, spread=0.0, shuffled=False):
        check_count("size", size)
        super().__init__(2, (size, size), size)
        self.size = size
        self.cost = 0.01 / size if cost is None else cost
        self.treasure = treasure
        self.spread = spread
        self.shuffled = shuffled
        if shuffled:
            self.action_names = None  # They mean something else in each cell.
        cells = np.arange(size + 1)
        self._swapped = counter_noise.integers(2, 17, cells[:, None], cells) * shuffled

    def begin(self, seeds):
        return {name: np.zeros(len(seeds), "int64") for name in ("row", "column")}

    def move(self, state, actions):
        row, column = state["row"], state["column"]
        right = (actions ^ self._swapped[row, column]) == 1
        found = right & (row == self.size - 1) & (column == self.size - 1)
        rewards = np.where(found, self.value(state), -self.cost * right)
        column = np.clip(column + np.where(right, 1, -1), 0, self.size - 1)
        row = row + 1
        return {"row": row, "column": column}, rewards, row == self.size

    def value(self, state):
        """What the treasure is worth in the episodes of states `[B]`."""
        if not self.spread:
            return np.full(len(state["seed"]), self.treasure)
        return self.treasure + self.spread * counter_noise.normal(state["seed"], 1)

    def observe(self, state):
        cells = np.arange(self.size)
        seen = (state["row"][:, None] == cells)[:, :, None] & (
            state["column"][:, None] == cells)[:, None, :]
        return seen.astype("float32")

    def bounds(self, state, discount=1.0):
        left = self.left(state)
        at_end = discount**np.maximum(left - 1, 0)
        costs = -self.cost * np.where(
            discount == 1.0, left - 1, (1.0 - at_end) / max(1.0 - discount, 1e-12))
        plan = costs + at_end * self.value(state)  # Right to the end.
        reachable = (state["column"] == state["row"]) & (left > 0)
        all_costs = (costs - self.cost * at_end) * (left > 0)
        return (np.minimum(all_costs, np.where(reachable, plan, 0.0)),
                np.maximum(0.0, np.where(reachable, plan, 0.0)))

    def picture(self, state):
        grid = np.full((self.size, self.size), "water", object)
        grid[-1, -1] = "treasure"
        grid[min(state["row"][0], self.size - 1), state["column"][0]] = "agent"
        return tiles(grid)
