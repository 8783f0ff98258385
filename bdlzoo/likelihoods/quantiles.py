"""Quantile regression by the pinball loss.

    value_q = outputs,   loss = mean over levels q of pinball_q(y - value_q) / scale

The loss is a log density of asymmetric Laplace distributions, which is not that of the
data: `nll` is this loss with its constants, and compares models of quantiles only.
Compare with other likelihoods by CRPS. The mean over levels counts a target once,
however many levels there are.

Reference: Koenker and Bassett, Regression Quantiles, Econometrica 1978; Yu and Moyeed,
Bayesian Quantile Regression, Statistics and Probability Letters 2001.
"""

import math

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.core.checks import check_positive
from bdlzoo.core.quantile_curve import QuantileCurve
from bdlzoo.core.quantile_prediction import QuantilePrediction, pinball_log_prob
from bdlzoo.core.regression_prediction import QUANTILES
from bdlzoo.likelihoods.density_likelihood import DensityLikelihood, like_outputs


@keras.saving.register_keras_serializable(package="bdlzoo")
class Quantiles(DensityLikelihood):
    """Reads outputs as quantiles of each target.

    Args:
        levels: Tuple of floats in rising order, the levels of the quantiles, on both
            sides of 0.5. A network for D targets has an output for each target and
            level, level by level.
        noise_scale: Float, scale of the loss, or where it starts. It sets the weight
            of the data against a prior.
        learn_noise: Bool, whether the scale of each target is learnt.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `name`.

    Example:

        model = MCDropout(network, likelihood=Quantiles((0.05, 0.5, 0.95)))
        model.calibrate(x, y, method="interval", level=0.9)
    """

    default_metrics = ({"type": "CRPS"}, {"type": "IntervalCoverage"},
                       {"type": "RootMeanSquaredError", "name": "rmse"})

    def __init__(self, levels=QUANTILES, noise_scale=1.0, learn_noise=False,
                 **kwargs):
        super().__init__(**kwargs)
        check_positive(noise_scale=noise_scale)
        levels = tuple(float(level) for level in levels)
        if len(levels) < 2 or not 0.0 < levels[0] < 0.5 < levels[-1] < 1.0 or (
                np.diff(levels) <= 0).any():
            raise ValueError(
                "Expected at least two levels in rising order between 0 and 1, on both "
                f"sides of 0.5. Received: levels={levels}")
        self.levels = levels
        self.noise_scale = noise_scale
        self.learn_noise = learn_noise
        self.num_parameters = len(levels)

    def build(self, output_shape):
        super().build(output_shape)
        self.log_noise = self.add_weight(
            name="log_noise", shape=(output_shape[-1] // len(self.levels),),
            initializer=keras.initializers.Constant(math.log(self.noise_scale)),
            trainable=self.learn_noise, autocast=False)

    def _values(self, outputs):
        return tf.stack(tf.split(outputs, len(self.levels), axis=-1), axis=-1)

    def log_prob(self, targets, outputs):
        outputs = tf.convert_to_tensor(outputs)
        return pinball_log_prob(like_outputs(targets, outputs, self.num_parameters),
                                self._values(outputs), self.levels,
                                tf.exp(self.log_noise))

    def distribution(self, outputs):
        values = tf.sort(self._values(outputs), axis=-1)
        return QuantileCurve(values, self.levels)

    def prediction(self, draws):
        draws = tf.convert_to_tensor(draws)
        return QuantilePrediction(self.distribution(draws), tf.exp(self.log_noise),
                                  source=(self.distribution, draws))

    def get_config(self):
        return {**super().get_config(), "levels": self.levels,
                "noise_scale": self.noise_scale, "learn_noise": self.learn_noise}
