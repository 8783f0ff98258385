"""The cross-entropy method: imitates the best episodes of each batch.

    loss = -mean over the best episodes of log pi(actions)

Reference: Rubinstein, The Cross-Entropy Method for Combinatorial and Continuous
Optimization, Methodology and Computing in Applied Probability 1999.
"""

import math

import keras
import numpy as np

from bdlzoo.families.policy_model import PolicyModel


@keras.saving.register_keras_serializable(package="bdlzoo")
class CrossEntropyMethod(PolicyModel):
    """Makes the actions of the episodes with the largest returns more probable.

    Args:
        policy: Keras model from an observation to logits of actions.
        elite: Float, share of the episodes of a step that are imitated, at least one.
        discount: Float, factor of rewards for each step.
        num_episodes: Integer, episodes of a training step.
        seed: Integer, seed of all noise; `None` draws one, which is saved with the
            model.
        **kwargs: Arguments of `keras.Model`, such as `name`.

    Example:

        policy = bdlzoo.networks.MLP((7, 7, 4), hidden=(64,), outputs=5)
        model = bdlzoo.methods.CrossEntropyMethod(policy, num_episodes=100)
        model.compile("adam")
        model.fit(bdlzoo.worlds.Rooms(), episodes=5000)
    """

    def __init__(self, policy, elite=0.05, discount=0.99, num_episodes=100, seed=None,
                 **kwargs):
        super().__init__(policy, discount=discount, num_episodes=num_episodes,
                         seed=seed, **kwargs)
        if not 0 < elite <= 1:
            raise ValueError("Expected a share above 0 and at most 1. Received: "
                             f"elite={elite}")
        self.elite = elite

    def weigh(self, returns):
        count = math.ceil(self.elite * len(returns))
        best = np.argsort(-returns, kind="stable")[:count]
        weights = np.zeros(len(returns))
        weights[best] = 1.0 / count
        return weights

    def get_config(self):
        return {**super().get_config(), "elite": self.elite}
