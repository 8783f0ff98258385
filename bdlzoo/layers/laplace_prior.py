"""Laplace prior over weights.

    KL = sum of log(2 b) + E|w| / b - log(s sqrt(2 pi e)),    w ~ N(m, s**2)
    E|w| = s sqrt(2 / pi) exp(-m**2 / (2 s**2)) + m erf(m / (s sqrt(2)))

The expectation of `|w|` has a closed form, so that nothing is sampled.
"""

import math

import keras
import tensorflow as tf

from bdlzoo.layers.prior import Prior, check_scale


@keras.saving.register_keras_serializable(package="bdlzoo")
class LaplacePrior(Prior):
    """Double exponential prior around zero, which allows few large weights.

    Args:
        scale: Float, standard deviation; the `b` of the formula is
            `scale / sqrt(2)`.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `name`.

    Example:

        DenseFlipout(10, prior=LaplacePrior(0.5))
    """

    def __init__(self, scale=1.0, **kwargs):
        super().__init__(**kwargs)
        check_scale("scale", scale)
        self.scale = scale

    def divergence(self, mean, scale, log_scale, key):
        b = self.scale / math.sqrt(2.0)
        ratio = mean / scale
        size = (scale * math.sqrt(2.0 / math.pi) * tf.exp(-0.5 * ratio**2)
                + mean * tf.math.erf(ratio / math.sqrt(2.0)))
        entropy = log_scale + 0.5 * math.log(2.0 * math.pi * math.e)
        return tf.reduce_sum(math.log(2.0 * b) + size / b - entropy)

    def get_config(self):
        return {**super().get_config(), "scale": self.scale}
