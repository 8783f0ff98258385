"""REINFORCE: the policy gradient from whole episodes.

    gradient = mean over episodes of (R - baseline) grad log pi(actions)

The baseline of an episode is the mean return of the others in its batch, which leaves
the gradient unbiased. One episode alone has none.

Reference: Williams, Simple Statistical Gradient-Following Algorithms for Connectionist
Reinforcement Learning, Machine Learning 1992.
"""

import keras

from bdlzoo.families.policy_model import PolicyModel


@keras.saving.register_keras_serializable(package="bdlzoo")
class Reinforce(PolicyModel):
    """Makes actions more probable whose episodes had large returns.

    Args:
        policy: Keras model from an observation to logits of actions.
        discount: Float, factor of rewards for each step.
        num_episodes: Integer, episodes of a training step.
        seed: Integer, seed of all noise; `None` draws one, which is saved with the
            model.
        **kwargs: Arguments of `keras.Model`, such as `name`.

    Example:

        policy = bdlzoo.networks.MLP((7, 7, 4), hidden=(64,), outputs=5)
        model = bdlzoo.methods.Reinforce(policy)
        model.compile("adam")
        model.fit(bdlzoo.worlds.Rooms(), episodes=5000)
    """

    def __init__(self, policy, discount=0.99, num_episodes=16, seed=None, **kwargs):
        super().__init__(policy, discount=discount, num_episodes=num_episodes,
                         seed=seed, **kwargs)

    def weigh(self, returns):
        count = len(returns)
        if count == 1:
            return returns
        others = (returns.sum() - returns) / (count - 1)
        return (returns - others) / count
