"""Dropout Q-network: explores by acting greedily under one dropout mask.

    action = argmax over a of Q(s, a; mask)        one mask an episode, or a step
    target = reward + discount * Q_target(s', argmax over a of Q(s', a))
    loss   = (Q(s, action; fresh mask) - target)**2 / (2 noise_scale**2) + prior

A mask is a draw of the posterior, so that this is Thompson sampling: an action is taken
as often as it is the best one under the posterior. A mask that stays for an episode
explores with a plan. The target network has dropout off.

The variance of dropout at a fixed rate does not shrink with data: exploration never
ends, and what was not seen may get less spread than what was.

Reference: Gal and Ghahramani, Dropout as a Bayesian Approximation, ICML 2016; van
Hasselt, Guez and Silver, Deep Reinforcement Learning with Double Q-learning, AAAI 2016.
"""

import keras
import tensorflow as tf

from bdlzoo.families.q_model import QModel


@keras.saving.register_keras_serializable(package="bdlzoo")
class DropoutQNetwork(QModel):
    """Learns values of actions, and acts by draws of their dropout masks.

    Args:
        network: Keras model with dropout layers, from an observation to values of
            actions.
        num_samples: Integer, masks for mean values and for probabilities of actions.
        resample: `"episode"` or `"step"`, how long a mask is acted by.
        target: `"mean"` or `"draw"`, whether the target network has dropout off or a
            mask for each batch. The largest of values with a mask is too large on
            average.
        double: Bool, whether the network that is trained chooses the actions in
            targets, which are else too large.
        noise_scale: Float, standard deviation of a target around its value.
        prior_scale: Float, standard deviation of the zero-mean Gaussian prior on the
            weights; `None` for no prior.
        discount: Float, factor of rewards for each step.
        num_worlds: Integer, episodes side by side.
        train_every: Integer, steps of all worlds for a training step.
        batch_size: Integer, steps in a training step.
        replay_size: Integer, newest steps that are kept for training.
        warm_up: Integer, steps by random actions before the first training step.
        target_every: Integer, training steps between copies to the target network.
        seed: Integer, seed of all noise; `None` draws one, which is saved with the
            model.
        **kwargs: Arguments of `keras.Model`, such as `name`.

    Example:

        network = bdlzoo.networks.MLP((10, 10), hidden=(50, 50), outputs=2, dropout=0.1)
        model = bdlzoo.methods.DropoutQNetwork(network)
        model.compile("adam")
        model.fit(bdlzoo.worlds.DeepSea(10), episodes=1000)
        choice = model.act(observations)
        choice.action, choice.probability, choice.values, choice.spread
    """

    def __init__(self, network, num_samples=16, resample="episode", target="mean",
                 double=True, noise_scale=1.0, prior_scale=None, discount=0.99,
                 num_worlds=8, train_every=1, batch_size=64, replay_size=10_000,
                 warm_up=256, target_every=100, seed=None, **kwargs):
        super().__init__(
            network, {"type": "MCDropout", "prior_scale": prior_scale},
            num_samples=num_samples, resample=resample, target=target, double=double,
            noise_scale=noise_scale, discount=discount, num_worlds=num_worlds,
            train_every=train_every, batch_size=batch_size, replay_size=replay_size,
            warm_up=warm_up, target_every=target_every, seed=seed, **kwargs)
        self.prior_scale = prior_scale

    def values_for(self, posterior, inputs, key):
        if self.target == "draw":
            return super().values_for(posterior, inputs, key)
        # Outside of a draw, dropout is off.
        return tf.cast(posterior.network(inputs, training=False), tf.float32)[None]

    def get_config(self):
        config = {**super().get_config(), "prior_scale": self.prior_scale}
        del config["posterior"]
        return config
