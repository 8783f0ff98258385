"""What a posterior says of each input: measures of the draws, and their mean.

Classification, with `p_s` the class probabilities of draw s and `p` their mean:

    predictive_entropy = H(p)
    expected_entropy   = mean over s of H(p_s)                  data uncertainty
    mutual_information = mean over s of KL(p_s || p)            model uncertainty

Regression, with draw s saying `N(means_s, variances_s)`:

    epistemic = Var over s of means_s,   aleatoric = mean over s of variances_s

All start from log-probabilities, so nothing underflows, and all run in a graph
too: the served model answers with the same lines of code. Calibration corrects
the averaged predictive (`mean`, `label`, `log_prob`, intervals); the measures
of a class prediction describe the draws and stay as they are, so that
`predictive_entropy = expected_entropy + mutual_information` always holds.

Reference: Gal, Uncertainty in Deep Learning, 2016; Kendall and Gal, What
Uncertainties Do We Need, NeurIPS 2017; Grimit et al., The Continuous Ranked
Probability Score for Circular Variables, QJRMS 2006 (mixtures of Gaussians).
"""

import functools

import tensorflow as tf
from tensorflow_probability import distributions as tfd


def _measure(function):
    """A property, computed once; an array where nothing is being traced."""

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
    """

    served = ("probabilities", "label", "confidence", "predictive_entropy",
              "expected_entropy", "mutual_information", "variation_ratio")

    def __init__(self, log_probs, log_mean=None):
        self.log_probs = tf.convert_to_tensor(log_probs)
        self.log_mixture = (tf.reduce_logsumexp(self.log_probs, axis=0)
                            - _log_count(self.log_probs))
        self.log_mean = self.log_mixture if log_mean is None else log_mean

    def tempered(self, temperature):
        """The same draws, their averaged predictive at a temperature."""
        scaled = self.log_mixture / tf.cast(temperature, self.log_probs.dtype)
        return type(self)(self.log_probs, tf.nn.log_softmax(scaled))

    def log_prob(self, targets):
        """Log probability of each target class, `[B, ...]`."""
        targets = tf.reshape(tf.cast(targets, tf.int32),
                             tf.shape(self.log_mean)[:-1])
        return tfd.Categorical(logits=self.log_mean).log_prob(targets)

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

    def measures(self):
        """What a served model answers: tensors by name, batch first."""
        return {name: getattr(self, name) for name in self.served}


class BinaryPrediction(ClassPrediction):
    """Prediction of one of two classes; `mean` is that of class 1, `[B, 1]`."""

    @_measure
    def mean(self):
        """What `model.predict` returns: the probability of class 1."""
        return tf.exp(self.log_mean[..., 1:])


class RegressionPrediction:
    """Prediction of real numbers by a mixture of Gaussians, one a draw.

    Args:
        means: Means of the draws, `[S, B, D]`.
        variances: Variances of the draws, `[S, B, D]`.
    """

    served = ("mean", "variance", "aleatoric", "epistemic", "std")

    def __init__(self, means, variances):
        self.means = tf.convert_to_tensor(means)
        self.variances = tf.convert_to_tensor(variances)
        self.components = tfd.Normal(self.means, tf.sqrt(self.variances))

    def tempered(self, temperature):
        """Stretches the mixture about its mean; variances grow by T squared."""
        temperature = tf.cast(temperature, self.means.dtype)
        centre = tf.reduce_mean(self.means, axis=0)
        return type(self)(centre + temperature * (self.means - centre),
                          temperature**2 * self.variances)

    def _like_mean(self, targets):
        return tf.reshape(tf.cast(targets, self.means.dtype),
                          tf.shape(self.means)[1:])

    def log_prob(self, targets):
        """Log density of each target under the mixture, `[B]`."""
        # A draw is one function for all outputs: sum over them comes first.
        log_probs = tf.reduce_sum(
            self.components.log_prob(self._like_mean(targets)), axis=-1)
        return (tf.reduce_logsumexp(log_probs, axis=0)
                - _log_count(log_probs))

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
        """Value that the prediction stays below with probability `level`."""
        level = tf.cast(level, self.means.dtype)
        each = self.components.quantile(level)
        # The quantile of a mixture lies between those of its components.
        low, high = tf.reduce_min(each, axis=0), tf.reduce_max(each, axis=0)

        def halve(low, high):
            middle = 0.5 * (low + high)
            below = self.cdf(middle) < level
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

    def measures(self):
        """What a served model answers: tensors by name, batch first."""
        answer = {name: getattr(self, name) for name in self.served}
        low, high = self.interval(0.95)
        return {**answer, "low_95": low, "high_95": high}


def _finite(log_probs):
    # 0 log 0 is 0, and a log of minus infinity would make it not a number.
    return tf.maximum(log_probs, log_probs.dtype.min)


def _mean_abs(mean, scale):
    """Mean of |X| for X ~ N(mean, scale**2)."""
    standard = tfd.Normal(tf.zeros([], mean.dtype), tf.ones([], mean.dtype))
    ratio = mean / scale
    return (2.0 * scale * standard.prob(ratio)
            + mean * (2.0 * standard.cdf(ratio) - 1.0))
