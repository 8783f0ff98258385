"""Independent Bernoulli pixels: an output is the logit of a white one.

    log p(x | outputs) = sum over pixels of x log s + (1 - x) log(1 - s),
    s = sigmoid(outputs)

A density of pixels that are 0 or 1. Grey ones are taken as the probability of white:
the sum is then the mean log density of pictures drawn so.
"""

import math

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.likelihoods.pixel_likelihood import PixelLikelihood


@keras.saving.register_keras_serializable(package="bdlzoo")
class BernoulliPixels(PixelLikelihood):
    """Reads outputs as logits of pixels that are black or white.

    Args:
        **kwargs: Arguments of `keras.layers.Layer`, such as `name`.

    Example:

        model = bdlzoo.methods.VAE(encoder, decoder, likelihood="bernoulli_pixels")
    """

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.built = True

    def log_prob_each(self, x, outputs):
        x = tf.broadcast_to(tf.cast(x, outputs.dtype), tf.shape(outputs))
        return -tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=outputs)

    def log_prob_of_shared(self, x, outputs):
        # x log s + (1 - x) log(1 - s) is x times the logit minus softplus(logit): the
        # sum over pixels is one product of matrices.
        size = math.prod(outputs.shape[1:])
        flat = tf.reshape(outputs, [-1, size])
        x = tf.reshape(tf.cast(x, flat.dtype), [-1, size])
        white = tf.matmul(flat, x, transpose_b=True)
        return white - tf.reduce_sum(tf.nn.softplus(flat), axis=-1, keepdims=True)

    def mean(self, outputs):
        return tf.sigmoid(outputs)

    def check_inputs(self, x):
        x = np.asarray(x)
        if x.min() < 0 or x.max() > 1:
            raise ValueError(
                "Expected pixels from 0 to 1: divide them by their largest value, or "
                "take `likelihood=\"gaussian_pixels\"`. Received: numbers from "
                f"{x.min():.4g} to {x.max():.4g}")

    def quick_check(self, x):
        return (tf.reduce_min(x) >= 0) & (tf.reduce_max(x) <= 1)
