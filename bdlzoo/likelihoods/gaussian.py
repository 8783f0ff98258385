"""Gaussian likelihood with the same noise for all inputs."""

import keras
import numpy as np
import tensorflow as tf
from tensorflow_probability import distributions as tfd

from bdlzoo.core.regression_prediction import RegressionPrediction
from bdlzoo.likelihoods.likelihood import (
    Likelihood,
    check_axes,
    check_finite,
    position_sizes,
    quick_finite,
)


@keras.saving.register_keras_serializable(package="bdlzoo")
class Gaussian(Likelihood):
    """Reads network outputs `[B, ..., D]` as means; the noise is given or learnt.

    Args:
        noise_scale: Float, standard deviation of the noise, or its start if it is
            learnt; with several copies also a tuple with one for each copy.
        learn_noise: Bool, whether the noise of each output is learnt.
        copies: Integer, number of models side by side, each with its own noise: row i
            belongs to model `i % copies`.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `name`.

    Example:

        MCDropout(network, likelihood=Gaussian(0.5, learn_noise=True))
    """

    default_metrics = ({"type": "RootMeanSquaredError", "name": "rmse"},
                       {"type": "CRPS"}, {"type": "IntervalCoverage"})

    def __init__(self, noise_scale=1.0, learn_noise=False, copies=1, **kwargs):
        super().__init__(**kwargs)
        if np.min(noise_scale) <= 0:
            raise ValueError("Expected a positive standard deviation. Received: "
                             f"noise_scale={noise_scale}")
        if np.size(noise_scale) not in (1, copies):
            raise ValueError(f"Expected one standard deviation, or {copies}. "
                             f"Received: noise_scale of length {np.size(noise_scale)}")
        self.noise_scale = noise_scale
        self.learn_noise = learn_noise
        self.copies = copies

    def build(self, output_shape):
        shape = (self.copies, output_shape[-1])
        start = np.broadcast_to(np.log(np.reshape(self.noise_scale, [-1, 1])), shape)
        self.log_noise = self.add_weight(
            name="log_noise", shape=shape if self.copies > 1 else shape[1:],
            initializer=lambda shape, dtype: tf.constant(
                start.reshape(shape), dtype),
            trainable=self.learn_noise, autocast=False)

    def _scale(self, outputs):
        scale = tf.cast(tf.exp(self.log_noise), outputs.dtype)
        if self.copies == 1:
            return scale
        sizes = position_sizes(outputs)
        rows = tf.tile(scale, [sizes[0] // self.copies, 1])  # [B, D]
        shape = tf.concat([sizes[:1], tf.ones_like(sizes[1:]), [-1]], axis=0)
        return tf.reshape(rows, shape)  # [B, 1, ..., D]

    def log_prob(self, targets, outputs):
        targets = tf.reshape(tf.cast(targets, outputs.dtype), tf.concat(
            [position_sizes(outputs), [outputs.shape[-1]]], axis=0))
        density = tfd.Normal(outputs, self._scale(outputs))
        return tf.reduce_sum(density.log_prob(targets), axis=-1)

    def prediction(self, draws):
        variances = tf.broadcast_to(self._scale(draws)**2, tf.shape(draws))
        return RegressionPrediction(draws, variances)

    def check_targets(self, targets, output_shape):
        check_axes(targets, output_shape, output_shape[-1:])
        check_finite(targets)

    def quick_check(self, targets, output_shape):
        return quick_finite(targets)

    def get_config(self):
        return {**super().get_config(), "noise_scale": self.noise_scale,
                "learn_noise": self.learn_noise, "copies": self.copies}
