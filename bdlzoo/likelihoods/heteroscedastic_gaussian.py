"""Gaussian likelihood whose noise depends on the input.

    mean, raw = split(outputs),   variance = softplus(raw) + 1e-6

Reference: Kendall and Gal, What Uncertainties Do We Need in Bayesian Deep
Learning for Computer Vision, NeurIPS 2017.
"""

import keras
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
class HeteroscedasticGaussian(Likelihood):
    """Reads outputs `[B, ..., 2 D]`: half as means, half as raw variances.

    Args:
        **kwargs: Arguments of `keras.layers.Layer`, such as `name`.

    Example:

        MCDropout(network, likelihood=HeteroscedasticGaussian())
    """

    default_metrics = ({"type": "RootMeanSquaredError", "name": "rmse"},
                       {"type": "CRPS"}, {"type": "IntervalCoverage"})

    def __init__(self, **kwargs):
        super().__init__(**kwargs)

    def build(self, output_shape):
        if output_shape[-1] % 2:
            raise ValueError("Expected two outputs for each target, a mean and a raw "
                             "variance: give the network an even number of outputs. "
                             f"Received: output_shape={tuple(output_shape)}")

    def _moments(self, outputs):
        means, raw = tf.split(outputs, 2, axis=-1)
        return means, tf.nn.softplus(raw) + 1e-6

    def log_prob(self, targets, outputs):
        means, variances = self._moments(outputs)
        targets = tf.reshape(tf.cast(targets, means.dtype), tf.concat(
            [position_sizes(outputs), [means.shape[-1]]], axis=0))
        density = tfd.Normal(means, tf.sqrt(variances))
        return tf.reduce_sum(density.log_prob(targets), axis=-1)

    def prediction(self, draws):
        return RegressionPrediction(*self._moments(draws))

    def check_targets(self, targets, output_shape):
        means = (*output_shape[:-1], output_shape[-1] // 2)
        check_axes(targets, means, means[-1:])
        check_finite(targets)

    def quick_check(self, targets, output_shape):
        return quick_finite(targets)
