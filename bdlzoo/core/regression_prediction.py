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

from bdlzoo.core import written_out
from bdlzoo.core.elementary_cdf import elementary_cdf
from bdlzoo.core.measure import log_mean_of, measure
from bdlzoo.core.mixture_sums import MixtureSums
from bdlzoo.core.text_table import SHOWN, is_readable, places, sizes, text_table

_AT_ONCE = 2**22  # Numbers that are computed at once, outside of graphs.
# Levels of the quantiles that a served model answers with; 95 % lie between the ends.
QUANTILES = (0.025, 0.05, 0.25, 0.5, 0.75, 0.95, 0.975)


class RegressionPrediction:
    """Prediction of real numbers by a mixture of Gaussians, one a draw.

    Args:
        means: Means of the draws, `[S, B, ..., D]`.
        variances: Variances of the draws, `[S, B, ..., D]`.
        threshold: Half width of the conformal interval in standard deviations,
            `[D]`, or `None`.
    """

    served = ("mean", "variance", "aleatoric", "epistemic", "std")
    pilot_draws = 32  # Draws that are needed before others can be summed.
    held_draws = 32  # Draws that take no more memory than their summary.
    rigid = ""  # Why a temperature cannot stretch it, for other distributions.

    def __init__(self, means, variances, threshold=None):
        self.means = tf.convert_to_tensor(means)
        self.variances = tf.convert_to_tensor(variances)
        self._threshold = threshold

    @functools.cached_property
    def components(self):
        """The Gaussians of the draws."""
        return tfd.Normal(self.means, tf.sqrt(self.variances))

    def __repr__(self):
        name, shape = type(self).__name__, self.means.shape
        if not is_readable(self.means) or len(shape) < 3:
            return f"{name}(means of shape {tuple(shape)})"
        rows = self.rows()
        first = type(self)(rows.means[:, :SHOWN], rows.variances[:, :SHOWN])
        low, high = first.interval(0.95)
        columns = places(shape[1:-1], SHOWN)
        count, outputs = len(columns["row"]), shape[-1]
        if outputs > 1:
            columns = {key: np.repeat(values, outputs)
                       for key, values in columns.items()}
            columns["output"] = np.tile(np.arange(outputs), count)
        columns.update(mean=first.mean, std=first.std, low_95=low, high_95=high)
        columns = {key: np.ravel(values)[:SHOWN] for key, values in columns.items()}
        title = f"{name} ({sizes(shape[1:-1])}, draws: {shape[0]}, outputs: {outputs})"
        return text_table(title, columns, rows.means.shape[1] * outputs > SHOWN)

    def rows(self):
        """The same prediction with all positions as rows, `[S, N, D]`."""
        if len(self.means.shape) == 3:
            return self
        shape = [tf.shape(self.means)[0], -1, self.means.shape[-1]]
        return type(self)(tf.reshape(self.means, shape),
                          tf.reshape(self.variances, shape), self._threshold)

    def taken(self, rows):
        """The same prediction of some rows, given by their places `[K]`."""
        return type(self)(tf.gather(self.means, rows, axis=1),
                          tf.gather(self.variances, rows, axis=1), self._threshold)

    @property
    def num_draws(self):
        """Number of draws."""
        return self.means.shape[0]

    def sums(self, weights, guide=None):
        """Sums over the draws whose weight `[S]` is 1, to be merged with others."""
        return MixtureSums.of(self.means, self.variances, weights, guide)

    def of_sums(self, sums, num_draws, guide):
        """A prediction of this kind from the sums of all draws."""
        return self.summarised(sums.summary(guide, self.means.dtype, num_draws))

    def summarised(self, summary):
        """A prediction of this kind from a summary."""
        from bdlzoo.core.summed_regression import SummedRegression
        return SummedRegression(summary)

    @classmethod
    def joined(cls, parts):
        """One prediction of the rows of several."""
        return cls(*(tf.concat([getattr(part, name) for part in parts], axis=1)
                     for name in ("means", "variances")), parts[0]._threshold)

    def known(self, mean, epistemic):
        """The Gaussian with these moments and the noise of the draws.

        Args:
            mean: Tensor `[B, ..., D]`.
            epistemic: Variance of the mean `[B, ..., D]`.
        """
        from bdlzoo.core.gaussian_prediction import GaussianPrediction
        aleatoric = tf.convert_to_tensor(self.aleatoric)
        mean, epistemic = (tf.cast(part, aleatoric.dtype) for part in (mean, epistemic))
        return GaussianPrediction(
            mean[None], (epistemic + aleatoric)[None], epistemic=epistemic)

    def _by_rows(self, function, *targets):
        """A function of a prediction and of targets, some rows after the other."""
        rows = self.means.shape[1]
        step = max(1, _AT_ONCE * (rows or 1) // (self.means.shape.num_elements() or 1))
        if not is_readable(self.means) or step >= rows:
            return function(self, *targets)
        parts = [slice(start, start + step) for start in range(0, rows, step)]
        targets = [self._like_mean(each) for each in targets]
        return tf.concat([function(
            type(self)(self.means[:, part], self.variances[:, part]),
            *(each[part] for each in targets)) for part in parts], axis=0)

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
        """Log density of each target under the mixture, `[B, ...]`."""
        return self._by_rows(type(self)._log_prob, targets)

    def _log_prob(self, targets):
        # A draw is one function for all outputs: the sum over outputs comes first.
        log_probs = tf.reduce_sum(
            self.components.log_prob(self._like_mean(targets)), axis=-1)
        return log_mean_of(log_probs)

    def cross_entropy(self, other):
        """Cross entropy of this prediction and one Gaussian, `other`, `[B, ...]`."""
        mean, variance = other.means[0], other.variances[0]
        gap = tf.square(self.mean - mean) + self.variance
        return 0.5 * tf.reduce_sum(math.log(2.0 * math.pi) + tf.math.log(variance)
                                   + gap / variance, axis=-1)

    def cdf(self, targets):
        """Probability of a value below each target, by output: `[B, ..., D]`."""
        return self._by_rows(lambda part, targets: tf.reduce_mean(
            part.components.cdf(part._like_mean(targets)), axis=0), targets)

    def crps(self, targets):
        """Continuous ranked probability score, in closed form: `[B, ..., D]`."""
        return self._by_rows(type(self)._crps, targets)

    def _crps(self, targets):
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
            level: Float, for `[B, ..., D]`, or Q floats, for `[B, ..., D, Q]`.
        """
        return self._by_rows(lambda part: part._quantile(level))

    def _quantile(self, level):
        level = tf.cast(level, self.means.dtype)
        several = level.shape.rank > 0
        means, scales = (tf.expand_dims(t, -1) if several else t
                         for t in (self.means, self.components.scale))
        components = tfd.Normal(means, scales)
        each = components.quantile(level)
        # The quantile of a mixture lies between those of its components.
        low, high = tf.reduce_min(each, axis=0), tf.reduce_max(each, axis=0)

        # The other formats have no error function.
        cdf = components.cdf if not written_out.is_on() else (
            lambda values: elementary_cdf((values - means) / scales))

        def halve(low, high):
            middle = 0.5 * (low + high)
            below = tf.reduce_mean(cdf(middle), axis=0) < level
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
        """Mean of the mixture, `[B, ..., D]`."""
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
        std = tf.convert_to_tensor(self.std)
        half = tf.cast(self._threshold, std.dtype) * std
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
    """Mean of |X| for X ~ N(mean, scale**2); |mean| for a scale of 0."""
    standard = tfd.Normal(tf.zeros([], mean.dtype), tf.ones([], mean.dtype))
    ratio = mean / tf.where(scale > 0, scale, 1.0)
    return tf.where(scale > 0, 2.0 * scale * standard.prob(ratio)
                    + mean * (2.0 * standard.cdf(ratio) - 1.0), tf.abs(mean))
