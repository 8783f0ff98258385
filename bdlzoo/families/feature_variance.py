"""Variance of the features of a network over draws.

    variance(x) = mean over features of Var over s of f_s(x)

Features are the inputs of the last layer with weights. An attack moves the outputs:
draws can agree on a class and still differ in features.

Reference: Deng et al., LiBRe: A Practical Bayesian Approach to Adversarial
Detection, CVPR 2021.
"""

import tensorflow as tf

from bdlzoo.core import keras_internals
from bdlzoo.surgery import conversion
from bdlzoo.surgery.encoder import Encoder


def random_encoder(network):
    """The `Encoder` of a network whose features have noise.

    Raises:
        ValueError: If they have no noise and would not vary.
    """
    encoder = Encoder(network)
    last = keras_internals.layers(encoder.last_layer)
    if not any(layer not in last for layer in conversion.stochastic_layers(network)):
        raise ValueError(
            "Expected a layer with noise before the last one, or features do not "
            "vary: choose more layers by `select`. Received: network "
            f"{network.name}, where only {encoder.last_layer.name} has noise")
    return encoder


def variance(features):
    """Variance over draws of features `[S, B, ...]`, their mean, `[B]`."""
    spread = tf.math.reduce_variance(features, axis=0)
    return tf.reduce_mean(spread, axis=list(range(1, len(spread.shape))))
