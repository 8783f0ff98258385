"""A contextual bandit: one choice, whose reward depends on what was seen before it.

    reward = a . x + bend sin(3 b . x) + noise,     of the arm that is chosen

An episode is one step. The slopes `a` and `b` of the arms are those of the world, and
the same in all episodes.
"""

import numpy as np

from bdlzoo.core import counter_noise, registry
from bdlzoo.core.checks import check_count
from bdlzoo.worlds.drawing import tiles
from bdlzoo.worlds.world import World

_CONTEXT, _REWARD = range(2)


@registry.register
class ContextualBandit(World):
    """Arms whose mean rewards are smooth functions of a context.

    Args:
        num_arms: Integer, number of actions.
        num_features: Integer, numbers of a context, which are standard normal.
        bend: Float, how far the means are from linear functions.
        noise_scale: Float, standard deviation of a reward around its mean.
        task: Integer, seed of the slopes: another one is another bandit.

    Example:

        world = bdlzoo.worlds.ContextualBandit(num_arms=5)
        best = world.means(world.observe(world.start([0]))).max()
    """

    def __init__(self, num_arms=5, num_features=8, bend=0.5, noise_scale=0.3, task=0):
        check_count("num_features", num_features)
        super().__init__(num_arms, (num_features,), 1)
        self.num_arms = num_arms
        self.num_features = num_features
        self.bend = bend
        self.noise_scale = noise_scale
        self.task = task
        features, arms = np.arange(num_features)[:, None], np.arange(num_arms)
        self._slopes, self._bends = (
            counter_noise.normal(task, which, features, arms) / np.sqrt(num_features)
            for which in range(2))

    def begin(self, seeds):
        return {"context": counter_noise.normal(
            seeds[:, None], _CONTEXT, np.arange(self.num_features))}

    def move(self, state, actions):
        means = self.means(state["context"])[np.arange(len(actions)), actions]
        noise = counter_noise.normal(state["seed"], _REWARD, actions)
        return {}, means + self.noise_scale * noise, np.ones(len(actions), bool)

    def observe(self, state):
        return state["context"].astype("float32")

    def means(self, contexts):
        """Mean rewards of all arms, `[B, arms]`.

        Args:
            contexts: Array `[B, features]`.
        """
        contexts = np.asarray(contexts, "float64")
        return contexts @ self._slopes + self.bend * np.sin(
            3.0 * contexts @ self._bends)

    def regrets(self, contexts, actions):
        """How much less than that of the best arm the mean reward is, `[B]`.

        Args:
            contexts: Array `[B, features]`.
            actions: Integers `[B]`.
        """
        means = self.means(contexts)
        return means.max(axis=1) - means[np.arange(len(actions)), actions]

    def picture(self, state):
        """A row of arms; the best one is green."""
        grid = np.full((1, self.num_arms), "floor", object)
        grid[0, self.means(state["context"][:1])[0].argmax()] = "goal"
        return tiles(grid)
