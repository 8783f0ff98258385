"""Predictions that are sure, and stay the same around each row.

    entropy = mean over target of -sum of p log p
    virtual = mean over rows of KL(p(x) || p(x + r)),    ||r|| = epsilon

r is the direction in which the prediction changes most, by one step of the power
method from a random direction. The first distribution has no gradient. The network
runs as it predicts: BatchNorm keeps its statistics, dropout is off.

Reference: Miyato et al., Virtual Adversarial Training, TPAMI 2018; Shu et al., A
DIRT-T Approach to Unsupervised Domain Adaptation, ICLR 2018.
"""

import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.families.alignment import Alignment

_PROBE = 1.0  # Length of the random direction that the power method starts from.


class VirtualAdversary(Alignment):
    """Pushes the boundaries of classes out of regions that have rows.

    Args:
        entropy_weight: Float, weight of the entropy of the target.
        source_weight: Float, weight of the virtual adversary of the source.
        target_weight: Float, weight of the virtual adversary of the target.
        epsilon: Float, Euclidean length of the perturbations; 0 for none.
        **kwargs: Arguments of `keras.layers.Layer`, such as `name`.
    """

    def __init__(self, entropy_weight=0.01, source_weight=1.0, target_weight=0.01,
                 epsilon=3.5, **kwargs):
        super().__init__(**kwargs)
        for name, value in (("entropy_weight", entropy_weight),
                            ("source_weight", source_weight),
                            ("target_weight", target_weight), ("epsilon", epsilon)):
            if not value >= 0:
                raise ValueError("Expected a number of at least 0. Received: "
                                 f"{name}={value}")
        self.entropy_weight = entropy_weight
        self.source_weight = source_weight
        self.target_weight = target_weight
        self.epsilon = epsilon

    def terms(self, model, pair):
        found = {"entropy": (self.entropy_weight, tf.reduce_mean(
            entropy(pair.target_outputs)))}
        if self.epsilon:
            weights = self.source_weight, self.target_weight
            found["virtual"] = (1.0, tf.add_n([
                weight * tf.reduce_mean(self.costs(
                    model.network, x, noise.fold_in(pair.key, place)))
                for place, (weight, x) in enumerate(zip(
                    weights, (pair.x, pair.target_x))) if weight]))
        return found

    def costs(self, network, x, key):
        """Divergence `[B]` of each row from its neighbour."""
        x = tf.cast(x, tf.float32)
        own = tf.stop_gradient(_logits(network, x))
        direction = _unit(noise.normal(tf.shape(x), key))
        with tf.GradientTape() as tape:
            tape.watch(direction)
            rows = divergence(own, _logits(network, x + _PROBE * direction))
        worst = _unit(tf.stop_gradient(tape.gradient(rows, direction)))
        return divergence(own, _logits(network, x + self.epsilon * worst))


def entropy(logits):
    """Entropy of each row of logits, `[B]`."""
    return -tf.reduce_sum(tf.nn.softmax(logits) * tf.nn.log_softmax(logits), axis=-1)


def divergence(first, second):
    """KL divergence of distributions with these logits, `[B]`."""
    return tf.reduce_sum(tf.nn.softmax(first) * (
        tf.nn.log_softmax(first) - tf.nn.log_softmax(second)), axis=-1)


def _logits(network, x):
    return tf.cast(network(x, training=False), tf.float32)


def _unit(rows):
    """Rows of Euclidean length 1; rows of zeros stay zeros."""
    axes = list(range(1, len(rows.shape)))
    largest = tf.reduce_max(tf.abs(rows), axis=axes, keepdims=True)
    rows /= largest + 1e-30  # Tiny gradients would be 0 when squared.
    return rows / (tf.sqrt(tf.reduce_sum(tf.square(rows), axis=axes, keepdims=True))
                   + 1e-12)
