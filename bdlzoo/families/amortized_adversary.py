"""Adversary whose tanh-Gaussians come from one generator for all inputs.

    (mean, rho) = G(gradient_features),  a = tanh(mean + softplus(rho) r)
    loss = -log p(y | reverse(ball.at(a))) - weight * entropy(a)

One backward pass trains both: `reverse` changes the sign of the gradient, so that the
network lowers the loss and the generator raises it. The entropy is not reversed: the
generator raises it too.

Reference: Dong et al., Adversarial Distributional Training for Robust Deep
Learning, NeurIPS 2020, and its released code.
"""

import keras
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.core.gradient_reversal import reverse
from bdlzoo.core.tanh_normal import TanhNormal
from bdlzoo.families.adversarial_model import Attacked
from bdlzoo.families.gradient_features import gradient_features


class AmortizedAdversary(keras.layers.Layer):
    """Computes the distribution of perturbations of each input by a generator.

    Args:
        generator: Keras model from features to two numbers for each number of an
            input, along the channels.
        entropy_weight: Float, weight of the entropy of an input.
        entropy: `"mean"` or `"sum"` over the numbers of an input.
        **kwargs: Arguments of `keras.layers.Layer`, such as `name`.
    """

    def __init__(self, generator, entropy_weight, entropy, **kwargs):
        super().__init__(**kwargs)
        self.generator = generator
        self.entropy_weight = entropy_weight
        self.entropy = entropy
        self.built = True

    def law(self, mean, scale):
        """The distribution with the parameters that `learn` returns."""
        return TanhNormal(mean, scale)

    def learn(self, losses, ball, y, key, training=False):
        """Mean and scale of each number; as `ExplicitAdversary.learn`."""
        del key  # The generator has no noise.
        features = gradient_features(losses, ball, y)
        outputs = tf.cast(self.generator(features, training=training), tf.float32)
        mean, rho = tf.split(outputs, 2, axis=-1)
        return mean, tf.math.softplus(rho)

    def attacked(self, losses, ball, y, key):
        law = self.law(*self.learn(losses, ball, y, key, training=True))
        u = law.moved(noise.normal(tf.shape(ball.center), key))
        nats = law.entropy(u)  # [B, ...]
        mean = tf.reduce_mean(nats)
        count = nats.shape[1:].num_elements() if self.entropy == "sum" else 1
        return Attacked(reverse(ball.at(tf.tanh(u))),
                        -self.entropy_weight * count * mean, {"entropy": mean})
