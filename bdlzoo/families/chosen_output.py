"""Likelihood of one output of each row, which the target names."""

import keras
import tensorflow as tf
from tensorflow_probability import distributions as tfd

from bdlzoo.core.checks import check_positive
from bdlzoo.core.regression_prediction import RegressionPrediction
from bdlzoo.likelihoods.likelihood import (
    Likelihood,
    check_axes,
    check_finite,
    quick_finite,
)


@keras.saving.register_keras_serializable(package="bdlzoo")
class ChosenOutput(Likelihood):
    """Gaussian likelihood of the value of the action that was taken.

    Targets are pairs, `[B, 2]`: the place of an output, and its value. The other
    outputs have no part in the loss.

    Args:
        noise_scale: Float, standard deviation of the noise.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `name`.
    """

    def __init__(self, noise_scale=1.0, **kwargs):
        super().__init__(**kwargs)
        check_positive(noise_scale=noise_scale)
        self.noise_scale = noise_scale

    def log_prob(self, targets, outputs):
        places = tf.cast(targets[..., 0], tf.int32)
        chosen = tf.reduce_sum(outputs * tf.one_hot(
            places, outputs.shape[-1], dtype=outputs.dtype), axis=-1)
        return tfd.Normal(chosen, self.noise_scale).log_prob(
            tf.cast(targets[..., 1], outputs.dtype))

    def prediction(self, draws):
        """Values of all actions."""
        return RegressionPrediction(draws, tf.fill(
            tf.shape(draws), tf.cast(self.noise_scale**2, draws.dtype)))

    def check_targets(self, targets, output_shape):
        check_axes(targets, output_shape, (2,))
        check_finite(targets)

    def quick_check(self, targets, output_shape):
        return quick_finite(targets)

    def get_config(self):
        return {**super().get_config(), "noise_scale": self.noise_scale}
