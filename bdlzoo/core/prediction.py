"""Predictions from posterior draws: their mean, and measures of uncertainty.

Classification, with `p_s` the class probabilities of draw s and `p` their mean:

    predictive_entropy = H(p)
    expected_entropy   = mean over s of H(p_s)                  data uncertainty
    mutual_information = mean over s of KL(p_s || p)            model uncertainty

Regression, with draw s saying `N(means_s, variances_s)`:

    epistemic = Var over s of means_s,   aleatoric = mean over s of variances_s

All are computed from log-probabilities, so that nothing underflows, and all run in a
graph too: a served model runs the same lines of code. Calibration corrects
the averaged predictive (`mean`, `label`, `log_prob`, intervals). The measures of
uncertainty of a class prediction describe the draws and are not corrected, so that
`predictive_entropy = expected_entropy + mutual_information` always holds.
Conformal sets and intervals use the calibrated predictive.

Reference: Gal, Uncertainty in Deep Learning, 2016; Kendall and Gal, What
Uncertainties Do We Need, NeurIPS 2017; Grimit et al., The Continuous Ranked
Probability Score for Circular Variables, QJRMS 2006 (mixtures of Gaussians).
"""

import functools
import math

import numpy as np
import tensorflow as tf
from tensorflow_probability import distributions as tfd

from bdlzoo.core import conformal

# Levels of the quantiles that a served model answers with; 95 % lie between the ends.
QUANTILES = (0.025, 0.05, 0.25, 0.5, 0.75, 0.95, 0.975)
_SHOWN = 5  # Lines of a table in `repr`.


def _measure(function):
    """A property that is computed once; an array outside of graphs."""

    def value(self):
        result = function(self)
        return result.numpy() if tf.executing_eagerly() else result

    value.__doc__ = function.__doc__
    return functools.cached_property(value)


def _log_count(draws):
    return tf.math.log(tf.cast(tf.shape(draws)[0], draws.dtype))


class ClassPrediction:
    """Prediction of a class.

    Args:
        log_probs: Log class probabilities of the draws, `[S, B, ..., C]`.
        log_mean: Log of the calibrated predictive, `[B, ..., C]`; `None` takes
            the plain mean over draws.
        set_rule: `SetRule` of conformal prediction, or `None`.
        uniforms: A uniform number a row, `[B]`, for randomised sets.
    """

    served = ("probabilities", "label", "confidence", "predictive_entropy",
              "expected_entropy", "mutual_information", "variation_ratio")

    def __init__(self, log_probs, log_mean=None, set_rule=None, uniforms=None):
        self.log_probs = tf.convert_to_tensor(log_probs)
        self.log_mixture = (tf.reduce_logsumexp(self.log_probs, axis=0)
                            - _log_count(self.log_probs))
        self.log_mean = self.log_mixture if log_mean is None else log_mean
        self._set_rule, self._uniforms = set_rule, uniforms

    def __repr__(self):
        name, shape = type(self).__name__, self.log_probs.shape
        if not _is_readable(self.log_probs) or len(shape) != 3:
            return f"{name}(log_probs of shape {tuple(shape)})"
        first = type(self)(self.log_probs[:, :_SHOWN], self.log_mean[:_SHOWN])
        columns = {"row": range(_SHOWN), "label": first.label,
                   "probability": first.confidence,
                   "entropy": first.predictive_entropy,
                   "mutual_information": first.mutual_information}
        title = f"{name} (rows: {shape[1]}, draws: {shape[0]}, classes: {shape[2]})"
        return _table(title, columns, shape[1] > _SHOWN)

    def tempered(self, temperature):
        """The same draws, their averaged predictive at a temperature."""
        scaled = self.log_mixture / tf.cast(temperature, self.log_probs.dtype)
        return type(self)(self.log_probs, tf.nn.log_softmax(scaled))

    def scaled(self, scale, shift):
        """The same draws, a scale and a shift for each class of their mean."""
        scale, shift = (tf.cast(t, self.log_probs.dtype) for t in (scale, shift))
        return type(self)(self.log_probs,
                          tf.nn.log_softmax(self.log_mixture * scale + shift))

    def mapped(self, knots, values):
        """The same draws, each class of their mean through its own curve.

        Args:
            knots: Probabilities in rising order, `[C, K]`.
            values: Their images, joined by straight lines, `[C, K]`.
        """
        knots, values = (tf.cast(t, self.log_probs.dtype) for t in (knots, values))
        classes = tf.shape(knots)[0]
        probs = tf.transpose(tf.reshape(tf.exp(self.log_mixture), [-1, classes]))
        right = tf.clip_by_value(tf.searchsorted(knots, probs, side="right"),
                                 1, tf.shape(knots)[1] - 1)  # [C, B]
        x_0, x_1, y_0, y_1 = (
            tf.gather(table, index, batch_dims=1)
            for table in (knots, values) for index in (right - 1, right))
        # Knots may coincide, where a curve jumps or was filled up.
        share = tf.clip_by_value((probs - x_0) / tf.maximum(x_1 - x_0, 1e-30),
                                 0.0, 1.0)
        mapped = tf.transpose(y_0 + share * (y_1 - y_0))
        mapped = tf.reshape(tf.maximum(mapped, 1e-30), tf.shape(self.log_mixture))
        return type(self)(self.log_probs, tf.math.log(mapped) - tf.math.log(
            tf.reduce_sum(mapped, axis=-1, keepdims=True)))

    def with_sets(self, log_mean, set_rule, uniforms):
        """The same draws, with a corrected mean and its conformal sets."""
        return type(self)(self.log_probs, log_mean, set_rule, uniforms)

    def log_prob(self, targets):
        """Log probability of each target class, `[B, ...]`."""
        targets = tf.reshape(tf.cast(targets, tf.int32),
                             tf.shape(self.log_mean)[:-1])
        return tfd.Categorical(logits=self.log_mean).log_prob(targets)

    def cross_entropy(self, other):
        """Cross entropy of this prediction and `other` in nats, `[B, ...]`."""
        return -tf.reduce_sum(self.probabilities * _finite(other.log_mean), axis=-1)

    @_measure
    def probabilities(self):
        """Class probabilities, `[B, ..., C]`."""
        return tf.exp(self.log_mean)

    @property
    def mean(self):
        """What `model.predict` returns: the class probabilities."""
        return self.probabilities

    @_measure
    def label(self):
        """Most probable class."""
        return tf.argmax(self.log_mean, axis=-1, output_type=tf.int32)

    @_measure
    def confidence(self):
        """Probability of that class."""
        return tf.exp(tf.reduce_max(self.log_mean, axis=-1))

    @_measure
    def predictive_entropy(self):
        """Entropy of the mean over draws, in nats: total uncertainty."""
        return -tf.reduce_sum(
            tf.exp(self.log_mixture) * _finite(self.log_mixture), axis=-1)

    @_measure
    def expected_entropy(self):
        """Mean entropy of the draws: what more data would not remove."""
        return -tf.reduce_mean(tf.reduce_sum(
            tf.exp(self.log_probs) * _finite(self.log_probs), axis=-1), axis=0)

    @_measure
    def mutual_information(self):
        """Disagreement of the draws (BALD): what more data would remove."""
        # As a mean of divergences: the difference of entropies goes negative.
        gap = _finite(self.log_probs) - _finite(self.log_mixture)
        return tf.reduce_mean(tf.reduce_sum(
            tf.exp(self.log_probs) * gap, axis=-1), axis=0)

    @_measure
    def variation_ratio(self):
        """Share of draws that do not vote for the most voted class."""
        classes = tf.shape(self.log_probs)[-1]
        votes = tf.one_hot(tf.argmax(self.log_probs, axis=-1), classes,
                           dtype=self.log_probs.dtype)
        return 1.0 - tf.reduce_max(tf.reduce_mean(votes, axis=0), axis=-1)

    @_measure
    def mean_variation_ratio(self):
        """One minus the largest mean probability: the other ratio so called."""
        return 1.0 - tf.exp(tf.reduce_max(self.log_mixture, axis=-1))

    @_measure
    def mean_std(self):
        """Standard deviation over draws, averaged over classes."""
        return tf.reduce_mean(
            tf.math.reduce_std(tf.exp(self.log_probs), axis=0), axis=-1)

    @_measure
    def total_variance(self):
        """Variance over draws, summed over classes."""
        return tf.reduce_sum(
            tf.math.reduce_variance(tf.exp(self.log_probs), axis=0), axis=-1)

    @_measure
    def prediction_set(self):
        """Bools, `[B, C]`: sets of classes that cover the true one as often as asked.

        A set can be empty: nothing is added to it, so that coverage is exact.
        """
        if self._set_rule is None:
            raise ValueError(
                "Expected a model with a threshold for its sets: call "
                "`model.calibrate(x, y, method=\"lac\")` (or \"aps\", \"raps\") "
                "on held-out data first. Received: none")
        scores = conformal.class_scores(self.log_mean, self._uniforms,
                                        self._set_rule)
        return scores <= tf.cast(self._set_rule.threshold, scores.dtype)

    @_measure
    def set_size(self):
        """Number of classes in the set, `[B]`."""
        return tf.reduce_sum(tf.cast(self.prediction_set, tf.int32), axis=-1)

    def measures(self, covering=False):
        """Outputs of a served model: tensors by name, batch first.

        Args:
            covering: Bool, whether results of conformal calibration are included.
        """
        served = (*self.served, "prediction_set") if covering else self.served
        return {name: getattr(self, name) for name in served}


class BinaryPrediction(ClassPrediction):
    """Prediction of one of two classes; `mean` is for class 1, `[B, 1]`."""

    @_measure
    def mean(self):
        """What `model.predict` returns: the probability of class 1."""
        return tf.exp(self.log_mean[..., 1:])


class RegressionPrediction:
    """Prediction of real numbers by a mixture of Gaussians, one a draw.

    Args:
        means: Means of the draws, `[S, B, D]`.
        variances: Variances of the draws, `[S, B, D]`.
        threshold: Half width of the conformal interval in standard deviations,
            `[D]`, or `None`.
    """

    served = ("mean", "variance", "aleatoric", "epistemic", "std")

    def __init__(self, means, variances, threshold=None):
        self.means = tf.convert_to_tensor(means)
        self.variances = tf.convert_to_tensor(variances)
        self.components = tfd.Normal(self.means, tf.sqrt(self.variances))
        self._threshold = threshold

    def __repr__(self):
        name, shape = type(self).__name__, self.means.shape
        if not _is_readable(self.means) or len(shape) != 3:
            return f"{name}(means of shape {tuple(shape)})"
        first = type(self)(self.means[:, :_SHOWN], self.variances[:, :_SHOWN])
        rows, outputs = np.indices(first.mean.shape)
        low, high = first.interval(0.95)
        columns = {"row": rows, "output": outputs, "mean": first.mean,
                   "std": first.std, "low_95": low, "high_95": high}
        if shape[2] == 1:
            del columns["output"]
        columns = {key: np.ravel(values)[:_SHOWN] for key, values in columns.items()}
        title = f"{name} (rows: {shape[1]}, draws: {shape[0]}, outputs: {shape[2]})"
        return _table(title, columns, shape[1] * shape[2] > _SHOWN)

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
        return (tf.reduce_logsumexp(log_probs, axis=0)
                - _log_count(log_probs))

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

    @_measure
    def mean(self):
        """Mean of the mixture, `[B, D]`."""
        return tf.reduce_mean(self.means, axis=0)

    @_measure
    def epistemic(self):
        """Variance of the means of the draws."""
        return tf.math.reduce_variance(self.means, axis=0)

    @_measure
    def aleatoric(self):
        """Mean of the variances of the draws: the noise in the data."""
        return tf.reduce_mean(self.variances, axis=0)

    @_measure
    def variance(self):
        """Variance of the mixture: the sum of the two."""
        return tf.convert_to_tensor(self.epistemic) + self.aleatoric

    @_measure
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


def _is_readable(tensor):
    """Whether numbers can be read now; not in a graph, or from one."""
    return tf.executing_eagerly() and not tf.is_symbolic_tensor(tensor)


def _table(title, columns, more):
    """A small table of text.

    Args:
        title: First line.
        columns: Dictionary from the head of a column to its numbers.
        more: Bool, whether there are rows that are not shown.
    """
    cells = [[key, *map(_text, values)] for key, values in columns.items()]
    widths = [max(map(len, column)) for column in cells]
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(line, widths))
             for line in zip(*cells)]
    return "\n".join([title, *lines, *["..."] * more])


def _text(number):
    return f"{number:.4g}" if isinstance(number, np.floating) else str(number)


def _finite(log_probs):
    # 0 log 0 is 0; with log 0 = minus infinity the product would be NaN.
    return tf.maximum(log_probs, log_probs.dtype.min)


def _mean_abs(mean, scale):
    """Mean of |X| for X ~ N(mean, scale**2)."""
    standard = tfd.Normal(tf.zeros([], mean.dtype), tf.ones([], mean.dtype))
    ratio = mean / scale
    return (2.0 * scale * standard.prob(ratio)
            + mean * (2.0 * standard.cdf(ratio) - 1.0))
