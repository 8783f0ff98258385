"""Dropout of units with a learnt rate p.

    z       = sigmoid((logit(p) + logit(u)) / tau),    u ~ Uniform(0, 1)
    outputs = inputs * (1 - z) / (1 - p)
    kl      = n_in * (p log p + (1 - p) log(1 - p))    minus the entropy

z is a relaxed Bernoulli variable: it goes to zero or one as tau goes to zero, and it
has a gradient in p. The entropy pulls p up, towards 1/2. The data and the prior on
the next kernel, `||w||**2 / (2 prior_scale**2 (1 - p))`, pull it down. A method, such
as `MCDropout`, adds the term of that prior.

Reference: Gal, Hron and Kendall, Concrete Dropout, NeurIPS 2017.
"""

import math

import keras
import tensorflow as tf
from keras import ops

from bdlzoo.core import noise


@keras.saving.register_keras_serializable(package="bdlzoo")
class ConcreteDropout(keras.layers.Layer):
    """Drops units of flat inputs at a learnt rate, in a draw scope only.

    Put it before the dense layer whose inputs it drops.

    Args:
        rate: Float in (0, 1), dropout rate at the start of training.
        tau: Float, softness of the relaxation; near 0 a mask is zeros and ones.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `name`.

    Example:

        keras.Sequential([ConcreteDropout(), keras.layers.Dense(10)])
    """

    stochastic = True

    def __init__(self, rate=0.1, tau=0.1, **kwargs):
        super().__init__(**kwargs)
        if not 0 < rate < 1:
            raise ValueError("Expected a rate above 0 and below 1, because it is "
                             f"stored as a logit. Received: rate={rate}")
        if tau <= 0:
            raise ValueError("Expected a softness above 0. "
                             f"Received: tau={tau}")
        self.initial_rate = rate
        self.tau = tau
        self.supports_masking = True

    def build(self, input_shape):
        self.num_features = self._num_features(input_shape)
        start = math.log(self.initial_rate) - math.log1p(-self.initial_rate)
        # In half precision `1 - rate` would be 1 for rates below 1e-3.
        self.logit = self.add_weight(
            name="logit", initializer=keras.initializers.Constant(start),
            dtype="float32", autocast=False)

    def rate(self):
        """Current dropout rate, a scalar with a gradient."""
        return tf.sigmoid(self.logit)

    def call(self, inputs):
        draw = noise.current()
        if draw is None:
            return inputs
        uniform = noise.uniform(draw.rows(self._noise_shape(ops.shape(inputs))),
                                draw.key_of(self))
        # 1 - z is the sigmoid of minus its logit, and so is 1 - p.
        logits = self.logit + tf.math.log(uniform) - tf.math.log1p(-uniform)
        keep = tf.sigmoid(-logits / self.tau) / tf.sigmoid(-self.logit)
        return inputs * tf.cast(keep, inputs.dtype)

    def kl(self):
        """Minus the entropy of the masks in nats, which is never positive."""
        rate = self.rate()
        return self.num_features * (rate * tf.math.log_sigmoid(self.logit) + (
            1.0 - rate) * tf.math.log_sigmoid(-self.logit))

    def compute_output_shape(self, input_shape):
        return input_shape

    def _num_features(self, input_shape):
        if len(input_shape) != 2:
            raise ValueError(
                "Expected flat inputs `[B, D]`: use `SpatialConcreteDropout` for "
                "images, whose channels are the rows of a kernel. Received: "
                f"input_shape={tuple(input_shape)}")
        return input_shape[-1]

    def _noise_shape(self, shape):
        return shape

    def get_config(self):
        return {**super().get_config(), "rate": self.initial_rate, "tau": self.tau}
