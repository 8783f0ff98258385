"""Epsilon-greedy Q-learning, the baseline of exploration.

    action = argmax over a of Q(s, a)      with probability 1 - epsilon
             any one                       with probability epsilon

An epsilon of 1 acts at random. Targets are those of a deep Q-network, with a target
network.

Reference: Mnih et al., Human-level Control through Deep Reinforcement Learning, Nature
2015.
"""

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.core import counter_noise, noise
from bdlzoo.families.q_model import QModel


@keras.saving.register_keras_serializable(package="bdlzoo")
class EpsilonGreedy(QModel):
    """Learns values of actions, and takes random ones at times.

    Args:
        network: Keras model from an observation to values of actions.
        epsilon: Float, probability of a random action in training, from `anneal` on.
        first_epsilon: Float, that probability at the start; `None` for `epsilon`.
        anneal: Integer, steps of the world in which it falls from the first to the
            last.
        double: Bool, whether the network that is trained chooses the actions in
            targets, which are else too large.
        noise_scale: Float, standard deviation of a target around its value; it scales
            the loss.
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

        network = bdlzoo.networks.MLP((10, 10), hidden=(50,), outputs=2)
        model = bdlzoo.methods.EpsilonGreedy(network, epsilon=0.05)
        model.compile("adam")
        model.fit(bdlzoo.worlds.DeepSea(10), episodes=1000)
    """

    def __init__(self, network, epsilon=0.1, first_epsilon=None, anneal=0, double=True,
                 noise_scale=1.0, discount=0.99, num_worlds=8, train_every=1,
                 batch_size=64, replay_size=10_000, warm_up=256, target_every=100,
                 seed=None, **kwargs):
        super().__init__(
            network, "Deterministic", num_samples=1, target="mean", double=double,
            noise_scale=noise_scale, discount=discount, num_worlds=num_worlds,
            train_every=train_every, batch_size=batch_size, replay_size=replay_size,
            warm_up=warm_up, target_every=target_every, seed=seed, **kwargs)
        for name, value in (("epsilon", epsilon), ("first_epsilon", first_epsilon)):
            if value is not None and not 0 <= value <= 1:
                raise ValueError("Expected a probability. Received: "
                                 f"{name}={value}")
        if anneal < 0:
            raise ValueError("Expected a number of steps that is not negative. "
                             f"Received: anneal={anneal}")
        self.epsilon = epsilon
        self.first_epsilon = first_epsilon
        self.anneal = anneal

    def epsilon_at(self, steps):
        """Probability of a random action after some steps of the world."""
        if self.first_epsilon is None or steps >= self.anneal:
            return self.epsilon
        share = steps / self.anneal
        return (1.0 - share) * self.first_epsilon + share * self.epsilon

    def explore(self, seen, running, acting):
        best = self._mean_values(tf.constant(
            seen, keras.backend.floatx())).numpy().argmax(axis=1)
        chance = counter_noise.uniform(running.seed, counter_noise.CHANCE,
                                       running.episodes, running.current["time"])
        return np.where(chance < self.epsilon_at(acting.world_steps),
                        self.random_actions(running), best)

    def beliefs(self, inputs, key):
        values = self.mean_values(inputs)
        actions = values.shape[-1]
        shares = (1.0 - self.epsilon) * tf.one_hot(
            tf.argmax(values, axis=-1), actions) + self.epsilon / actions
        return {"probabilities": shares, "values": values,
                "spread": tf.zeros_like(values),
                "scores": tf.math.log(shares) + noise.gumbel([1, actions], key)}

    def get_config(self):
        config = {**super().get_config(), "epsilon": self.epsilon,
                  "first_epsilon": self.first_epsilon, "anneal": self.anneal}
        for name in ("posterior", "num_samples", "resample", "target"):
            del config[name]
        return config
