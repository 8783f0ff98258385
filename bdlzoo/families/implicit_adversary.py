"""Adversary whose perturbations come from a generator that reads noise.

    a    = tanh(G(gradient_features, z)),   z ~ U(-1, 1)
    nll  = mean of (z - m)**2 / (2 v) + log(2 pi v) / 2,   (m, v) = encoder(a)
    loss = -log p(y | reverse(ball.at(a))) + weight * max(nll - threshold, 0)

The perturbations have no density. But the error of the encoder gives a lower bound of
their entropy: `log 2 - nll` nats for each number of z. Generator and encoder both lower
`nll`, down to the threshold. An encoder that learns nothing has `INERT` = 0.8696
already: with a threshold above it, such as the released 0.9, the term has no effect.

Reference: Dong et al., Adversarial Distributional Training for Robust Deep
Learning, NeurIPS 2020, and its released code.
"""

import math
import typing

import keras
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.core.gradient_reversal import reverse
from bdlzoo.families.adversarial_model import Attacked
from bdlzoo.families.gradient_features import gradient_features

INERT = 0.5 * math.log(2.0 * math.pi / 3.0) + 0.5  # A normal fitted to U(-1, 1).


class GeneratedLaw(typing.NamedTuple):
    """Distribution without a density.

    Args:
        features: Tensor `[B, ...]`, inputs of the generator.
        generator: Function of features and noise.
        latent: Integer, numbers of noise.
    """

    features: tf.Tensor
    generator: typing.Callable
    latent: int

    def draws(self, num_samples, key):
        """Numbers in (-1, 1), `[S, B, ...]`."""
        rows = tf.shape(self.features)[0]
        count = tf.cast(num_samples, tf.int32)
        codes = uniforms(count * rows, self.latent, key)
        tall = tf.tile(self.features, [count] + [1] * (len(self.features.shape) - 1))
        found = self.generator(tall, codes)
        return tf.reshape(found, tf.concat([[count, rows], tf.shape(found)[1:]], 0))


class ImplicitAdversary(keras.layers.Layer):
    """Generates perturbations from noise that an encoder reconstructs.

    Args:
        generator: Keras model from features and z to numbers like an input.
        encoder: Keras model from perturbations to two numbers for each of z.
        latent: Integer, numbers of z.
        entropy_weight: Float, weight of the bound of the entropy.
        threshold: Float, `nll` that is low enough.
        **kwargs: Arguments of `keras.layers.Layer`, such as `name`.
    """

    def __init__(self, generator, encoder, latent, entropy_weight, threshold,
                 **kwargs):
        super().__init__(**kwargs)
        self.generator = generator
        self.encoder = encoder
        self.latent = latent
        self.entropy_weight = entropy_weight
        self.threshold = threshold
        self.built = True

    def law(self, features):
        """The distribution for the features that `learn` returns."""
        return GeneratedLaw(features, self.generate, self.latent)

    def learn(self, losses, ball, y, key):
        """Features for the generator, a tuple of one; as `ExplicitAdversary.learn`."""
        del key  # Only draws have noise.
        return (gradient_features(losses, ball, y),)

    def generate(self, features, codes, training=False):
        """Numbers in (-1, 1) like an input."""
        outputs = self.generator([features, codes], training=training)
        return tf.tanh(tf.cast(outputs, tf.float32))

    def attacked(self, losses, ball, y, key):
        [features] = self.learn(losses, ball, y, key)
        codes = uniforms(tf.shape(ball.center)[0], self.latent, key)
        places = self.generate(features, codes, training=True)
        nll = self.code_nll(places, codes)
        return Attacked(
            reverse(ball.at(places)),
            self.entropy_weight * tf.nn.relu(nll - self.threshold),
            {"entropy": math.log(2.0) - nll})

    def code_nll(self, places, codes):
        """Error of the encoder in nats, mean over the numbers of z."""
        outputs = tf.cast(self.encoder(places, training=True), tf.float32)
        mean, raw = tf.split(outputs, 2, axis=-1)
        variance = tf.math.softplus(raw)
        return tf.reduce_mean(tf.square(codes - mean) / (2.0 * variance)
                              + 0.5 * tf.math.log(2.0 * math.pi * variance))


def uniforms(rows, latent, key):
    """Noise of a generator, `[rows, latent]` in (-1, 1)."""
    return 2.0 * noise.uniform([rows, latent], key) - 1.0
