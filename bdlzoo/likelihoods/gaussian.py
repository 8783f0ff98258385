"""Gaussian likelihood with one noise for all inputs."""

import keras
import numpy as np
import tensorflow as tf
from tensorflow_probability import distributions as tfd

from bdlzoo.core.prediction import RegressionPrediction
from bdlzoo.likelihoods.likelihood import Likelihood, check_numbers


@keras.saving.register_keras_serializable(package="bdlzoo")
class Gaussian(Likelihood):
    """Reads network outputs as means; the noise is given, or learnt.

    Args:
        noise_scale: Float, standard deviation of the noise, or where it starts.
        learn_noise: Bool, whether the noise of each output is learnt.
    """

    measures = ({"type": "RootMeanSquaredError", "name": "rmse"},
                {"type": "CRPS"}, {"type": "IntervalCoverage"})

    def __init__(self, noise_scale=1.0, learn_noise=False, **kwargs):
        super().__init__(**kwargs)
        if noise_scale <= 0:
            raise ValueError("Expected a positive standard deviation. Received: "
                             f"noise_scale={noise_scale}")
        self.noise_scale = noise_scale
        self.learn_noise = learn_noise

    def build(self, output_shape):
        start = keras.initializers.Constant(float(np.log(self.noise_scale)))
        self.log_noise = self.add_weight(
            name="log_noise", shape=(output_shape[-1],), initializer=start,
            trainable=self.learn_noise, autocast=False)

    def _scale(self, outputs):
        return tf.cast(tf.exp(self.log_noise), outputs.dtype)

    def log_prob(self, targets, outputs):
        targets = tf.reshape(tf.cast(targets, outputs.dtype),
                             [-1, outputs.shape[-1]])
        density = tfd.Normal(outputs, self._scale(outputs))
        return tf.reduce_sum(density.log_prob(targets), axis=-1)

    def prediction(self, draws):
        variances = tf.broadcast_to(self._scale(draws)**2, tf.shape(draws))
        return RegressionPrediction(draws, variances)

    def check_targets(self, targets, output_shape):
        check_numbers(targets, output_shape[-1])

    def get_config(self):
        return {**super().get_config(), "noise_scale": self.noise_scale,
                "learn_noise": self.learn_noise}
