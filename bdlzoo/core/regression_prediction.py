"""Predictions of real numbers from posterior draws, as mixtures of Gaussians.

With draw s saying `N(means_s, variances_s)`:

    epistemic = Var over s of means_s,   aleatoric = mean over s of variances_s

Calibration stretches the mixture; conformal intervals use what it gives.

Reference: Kendall and Gal, What Uncertainties Do We Need, NeurIPS 2017; Grimit et
al., The Continuous Ranked Probability Score for Circular Variables, QJRMS 2006
(mixtures of Gaussians).
"""

import functools
import math

import numpy as np
import tensorflow as tf
from tensorflow_probability import distributions as tfd

from bdlzoo.core.measure import log_mean_of, measure
from bdlzoo.core.text_table import SHOWN, is_readable, text_table

# Levels of the quantiles that a served model answers with; 95 % lie between the ends.
QUANTILES = (0.025, 0.05, 0.25, 0.5, 0.75, 0.95, 0.975)


class RegressionPrediction:
    """Prediction of real numbers by a mixture of Gaussians, one a draw.

    Args:
        means: Means of the draws, `[S, B, D]`.
        variances: Variances of the draws, `[S, B, D]`.
        threshold: Half width of the conformal interval in standard deviations,
            `[D]`, or `None`.
    """

    served = ("mean", "variance", "aleatoric", "epistemic", "std")
    rigid = ""  # Why a temperature cannot stretch it, for other distributions.

    def __init__(self, means, variances, threshold=None):
        self.means = tf.convert_to_tensor(means)
        self.variances = tf.convert_to_tensor(variances)
        self.components = tfd.Normal(self.means, tf.sqrt(self.variances))
        self._threshold = threshold

    def __repr__(self):
        name, shape = type(self).__name__, self.means.shape
        if not is_readable(self.means) or len(shape) != 3:
            return f"{name}(means of shape {tuple(shape)})"
        first = type(self)(self.means[:, :SHOWN], self.variances[:, :SHOWN])
        rows, outputs = np.indices(first.mean.shape)
        low, high = first.interval(0.95)
        columns = {"row": rows, "output": outputs, "mean": first.mean,
                   "std": first.std, "low_95": low, "high_95": high}
        if shape[2] == 1:
            del columns["output"]
        columns = {key: np.ravel(values)[:SHOWN] for key, values in columns.items()}
        title = f"{name} (rows: {shape[1]}, draws: {shape[0]}, outputs: {shape[2]})"
        return text_table(title, columns, shape[1] * shape[2] > SHOWN)

    def tempered(self, temperature):
        """Stretches the mixture about its mean; variances grow by T squared."""
        temperature = tf.cast(temperature, self.means.dtype)
        centre = tf.reduce_mean(self.means, axis=0)
        return type(self)(centre + temperature * (self.means - centre),
                          temperature**2 * self.variances)

    def with_interval(self, threshold):
        """The same mixture, with its conformal interval."""
        return type(self)(self.means, self.variances, threshold)

    def _like_mean(self, targets):
        return tf.reshape(tf.cast(targets, self.means.dtype),
                          tf.shape(self.means)[1:])

    def log_prob(self, targets):
        """Log density of each target under the mixture, `[B]`."""
        # A draw is one function for all outputs: the sum over outputs comes first.
        log_probs = tf.reduce_sum(
            self.components.log_prob(self._like_mean(targets)), axis=-1)
        return log_mean_of(log_probs)

    def cross_entropy(self, other):
        """Cross entropy of this prediction and one Gaussian, `other`, `[B]`."""
        mean, variance = other.means[0], other.variances[0]
        gap = tf.square(self.mean - mean) + self.variance
        return 0.5 * tf.reduce_sum(math.log(2.0 * math.pi) + tf.math.log(variance)
                                   + gap / variance, axis=-1)

    def cdf(self, targets):
        """Probability of a value below each target, by output: `[B, D]`."""
        targets = self._like_mean(targets)
        return tf.reduce_mean(self.components.cdf(targets), axis=0)

    def crps(self, targets):
        """Continuous ranked probability score, in closed form: `[B, D]`."""
        targets, scales = self._like_mean(targets), self.components.scale
        error = tf.reduce_mean(_mean_abs(targets - self.means, scales), axis=0)

        def add(spread, draw):
            mean, variance = draw
            gaps = _mean_abs(mean - self.means,
                             tf.sqrt(variance + self.variances))
            return spread + tf.reduce_mean(gaps, axis=0)

        # A loop over draws: all pairs at once would take S * S * B numbers.
        spread = tf.foldl(add, (self.means, self.variances),
                          initializer=tf.zeros_like(error))
        return error - 0.5 * spread / tf.cast(tf.shape(self.means)[0],
                                              error.dtype)

    def quantile(self, level):
        """Values below which the prediction lies with probability `level`.

        Args:
            level: Float, for a result `[B, D]`, or Q floats, for `[B, D, Q]`.
        """
        level = tf.cast(level, self.means.dtype)
        several = level.shape.rank > 0
        means, scales = (tf.expand_dims(t, -1) if several else t
                         for t in (self.means, self.components.scale))
        components = tfd.Normal(means, scales)
        each = components.quantile(level)
        # The quantile of a mixture lies between those of its components.
        low, high = tf.reduce_min(each, axis=0), tf.reduce_max(each, axis=0)

        def halve(low, high):
            middle = 0.5 * (low + high)
            below = tf.reduce_mean(components.cdf(middle), axis=0) < level
            return tf.where(below, middle, low), tf.where(below, high, middle)

        low, high = tf.while_loop(lambda *_: True, halve, (low, high),
                                  maximum_iterations=32)
        return 0.5 * (low + high)

    def interval(self, level=0.95):
        """Central interval of probability `level`: `(low, high)`."""
        if not 0.0 < level < 1.0:
            raise ValueError("Expected the probability of an interval, above 0 "
                             f"and below 1. Received: level={level}")
        tails = [self.quantile(q) for q in (0.5 - level / 2, 0.5 + level / 2)]
        if tf.executing_eagerly():
            tails = [tail.numpy() for tail in tails]
        return tuple(tails)

    @measure
    def mean(self):
        """Mean of the mixture, `[B, D]`."""
        return tf.reduce_mean(self.means, axis=0)

    @measure
    def epistemic(self):
        """Variance of the means of the draws."""
        return tf.math.reduce_variance(self.means, axis=0)

    @measure
    def aleatoric(self):
        """Mean of the variances of the draws: the noise in the data."""
        return tf.reduce_mean(self.variances, axis=0)

    @measure
    def variance(self):
        """Variance of the mixture: the sum of the two."""
        return tf.convert_to_tensor(self.epistemic) + self.aleatoric

    @measure
    def std(self):
        """Standard deviation of the mixture."""
        return tf.sqrt(self.variance)

    @functools.cached_property
    def conformal_interval(self):
        """Interval that holds the value at the level asked for: `(low, high)`."""
        if self._threshold is None:
            raise ValueError(
                "Expected a model with a threshold for its intervals: call "
                "`model.calibrate(x, y, method=\"interval\")` on held-out data "
                "first. Received: none")
        half = tf.cast(self._threshold, self.means.dtype) * self.std
        ends = (self.mean - half, self.mean + half)
        return tuple(map(np.asarray, ends)) if tf.executing_eagerly() else ends

    def measures(self, covering=False):
        """Outputs of a served model: tensors by name, batch first."""
        answer = {name: getattr(self, name) for name in self.served}
        quantiles = self.quantile(QUANTILES)  # [B, D, Q]
        answer.update(quantiles=quantiles, low_95=quantiles[..., 0],
                      high_95=quantiles[..., -1])
        if covering:
            low, high = self.conformal_interval
            answer.update(conformal_low=low, conformal_high=high)
        return answer


def _mean_abs(mean, scale):
    """Mean of |X| for X ~ N(mean, scale**2)."""
    standard = tfd.Normal(tf.zeros([], mean.dtype), tf.ones([], mean.dtype))
    ratio = mean / scale
    return (2.0 * scale * standard.prob(ratio)
            + mean * (2.0 * standard.cdf(ratio) - 1.0))
