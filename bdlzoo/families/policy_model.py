"""Base class of agents with a policy: a network that tells probabilities of actions.

    loss = -sum over steps of weight * log pi(action | observation)

What the weights are is all that differs between these agents.
"""

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.core.checks import check_count
from bdlzoo.families.agent import Agent, entropy_of
from bdlzoo.families.episodes import play
from bdlzoo.surgery import conversion

_FEWEST = 32  # Rows of a batch. Sizes are powers of two, so that few are compiled.


class PolicyModel(Agent):
    """Moves the log probabilities of actions by weights.

    A subclass writes `weigh`, or `collect` where it acts in another way.

    Args:
        policy: Keras model from an observation to logits of actions.
        discount: Float, factor of rewards for each step.
        num_episodes: Integer, episodes of a training step.
        **kwargs: `seed` of `StochasticModel`, and arguments of `keras.Model`.
    """

    config_sections = ("world", "policy")

    def __init__(self, policy, *, discount=0.99, num_episodes=16, **kwargs):
        super().__init__(discount=discount, **kwargs)
        check_count("num_episodes", num_episodes)
        conversion.check_network(policy)
        self.policy = policy
        self.num_episodes = num_episodes

    @property
    def blueprint(self):
        """The network that inputs are checked by."""
        return self.policy

    def build(self, input_shape):
        conversion.adopt(self.policy)
        super().build(input_shape)
        self._asked = tf.function(
            lambda inputs: tf.nn.log_softmax(self.logits(inputs)), input_signature=[
                tf.TensorSpec((None, *input_shape[1:]), keras.backend.floatx())])

    def logits(self, inputs, training=False):
        """Logits of actions, `[B, A]`."""
        return tf.cast(self.policy(inputs, training=training), tf.float32)

    def log_policy(self, seen):
        """Log probabilities of actions, an array `[B, A]`.

        Args:
            seen: Array of observations `[B, *shape]`.
        """
        return self._asked(tf.constant(seen, keras.backend.floatx())).numpy()

    def objective(self, x, y, sample_weight, key):
        with noise.draws(key):
            logs = tf.nn.log_softmax(self.logits(x, training=True))
        weights = tf.cast(sample_weight, tf.float32)
        taken = tf.gather(logs, tf.cast(y, tf.int32), batch_dims=1)
        loss = -tf.reduce_sum(weights * taken)
        there = tf.cast(weights != 0.0, tf.float32)
        entropy = tf.reduce_sum(there * entropy_of(tf.exp(logs))) / tf.maximum(
            tf.reduce_sum(there), 1.0)
        # Terms that layers of the policy bring.
        loss = tf.add_n([loss, *(tf.cast(term, tf.float32)
                                 for term in self.policy.losses)])
        return {"loss": loss, "entropy": entropy}, None

    def steps_for(self, world, episodes):
        return -(-episodes // self.num_episodes)

    def collect(self, acting, step):
        seeds = self.train_seeds(step * self.num_episodes, self.num_episodes)
        found = play(acting.world, seeds, self.log_policy, seeds + 1, self.discount)
        acting.note(len(found.actions), found.totals)
        weights = self.weigh(found.returns)[found.episode]
        used = weights != 0.0
        return padded(found.seen[used], found.actions[used], weights[used],
                      acting.world.observation_shape)

    def weigh(self, returns):
        """Weights of the steps of episodes, `[E]`.

        Args:
            returns: Discounted returns `[E]`.
        """
        raise NotImplementedError

    def beliefs(self, inputs, key):
        logs = tf.nn.log_softmax(self.logits(inputs))
        shape = [1, logs.shape[-1]]  # The same noise for all rows.
        return {"probabilities": tf.exp(logs),
                "scores": logs + noise.gumbel(shape, key)}

    def test_policy(self, greedy):
        del greedy
        return self.log_policy

    def served_parts(self):
        return [self.policy]

    def get_config(self):
        return {**super().get_config(), "num_episodes": self.num_episodes,
                "policy": keras.saving.serialize_keras_object(self.policy)}

    @classmethod
    def from_config(cls, config):
        parts = {"policy": keras.saving.deserialize_keras_object(config["policy"])}
        return cls(**{**config, **parts})


def padded(seen, actions, weights, shape):
    """A batch whose size is a power of two; rows that are added weigh nothing.

    Args:
        seen: Array of observations `[N, *shape]`.
        actions: Integers `[N]`.
        weights: Floats `[N]`.
        shape: Shape of an observation.
    """
    count = len(actions)
    size = max(_FEWEST, 1 << max(count - 1, 0).bit_length())
    x = np.zeros((size, *shape), keras.backend.floatx())
    y, w = np.zeros(size, "int32"), np.zeros(size, "float32")
    if count:
        x[:count], y[:count], w[:count] = seen, actions, weights
    return x, y, w
