"""A discriminator of domains, and features that deceive it.

    domain    = mean over source of -log (1 - D(f)) + mean over target of -log D(f)
    D         lowers weight * domain
    features  raise  weight * reversal * domain

D says how likely features are those of the target. The reversal is the factor of the
gradient that goes back into the network. With a threshold, only rows of the target
count of which the teacher is sure: others would be brought to the wrong place.
"""

import keras
import tensorflow as tf

from bdlzoo.core import initial_weights
from bdlzoo.core.gradient_reversal import reverse
from bdlzoo.families.alignment import Alignment, scheduled, value_at
from bdlzoo.networks.blocks import check_sizes


class DomainAdversary(Alignment):
    """Trains a discriminator of domains, and the network against it.

    Args:
        hidden: Tuple of integers, hidden layers of the discriminator.
        weight: Float, weight of the loss of the discriminator.
        reversal: Float, or schedule over steps, factor of the gradient that goes back
            into the network.
        threshold: Float, confidence of the teacher above which a row of the target
            counts; `None` counts all, and asks no teacher.
        **kwargs: Arguments of `keras.layers.Layer`, such as `name`.
    """

    schedules = ("reversal",)

    def __init__(self, hidden=(500, 500), weight=0.1, reversal=1.0, threshold=None,
                 **kwargs):
        super().__init__(**kwargs)
        if threshold is not None and not 0.0 <= threshold < 1.0:
            raise ValueError("Expected a threshold of at least 0 and below 1. "
                             f"Received: threshold={threshold}")
        if not weight >= 0:
            raise ValueError("Expected a weight of at least 0. Received: "
                             f"domain_weight={weight}")
        self.hidden = check_sizes("discriminator", hidden, least=0)
        self.weight = weight
        self.reversal = scheduled(reversal)
        self.threshold = threshold
        self.needs_teacher = threshold is not None

    def attach(self, model, feature_size, key):
        self.discriminator = keras.Sequential(
            [keras.layers.Dense(size, "relu") for size in self.hidden]
            + [keras.layers.Dense(1)], name="discriminator")
        self.discriminator.build((None, feature_size))
        self.discriminator.set_weights(initial_weights.fresh(self.discriminator, key))
        super().attach(model, feature_size, key)

    def terms(self, model, pair):
        reversal = value_at(self.reversal, pair.step)
        rows = reverse(tf.concat([pair.source, pair.target], axis=0), reversal)
        logits = tf.cast(self.discriminator(rows), tf.float32)[:, 0]
        source, target = tf.split(logits, [tf.shape(pair.source)[0],
                                           tf.shape(pair.target)[0]])
        counts = tf.ones_like(target) if self.threshold is None else tf.cast(
            pair.confidence > self.threshold, tf.float32)
        known = tf.reduce_mean(tf.nn.softplus(source))
        unknown = tf.reduce_sum(counts * tf.nn.softplus(-target)) / tf.maximum(
            tf.reduce_sum(counts), 1.0)
        return {"domain": (self.weight, known + unknown)}
