"""Predictions of classes from posterior draws: their mean, and their uncertainty.

With `p_s` the class probabilities of draw s and `p` their mean:

    predictive_entropy = H(p)
    expected_entropy   = mean over s of H(p_s)                  data uncertainty
    mutual_information = mean over s of KL(p_s || p)            model uncertainty

All are computed from log-probabilities, so that nothing underflows. Calibration
corrects the averaged predictive (`mean`, `label`, `log_prob`). The measures of
uncertainty describe the draws and are not corrected, so that
`predictive_entropy = expected_entropy + mutual_information` always holds.
Conformal sets use the calibrated predictive. A model may know its averaged predictive
without draws; that is then what is calibrated.

Reference: Gal, Uncertainty in Deep Learning, 2016.
"""

import tensorflow as tf
from tensorflow_probability import distributions as tfd

from bdlzoo.core import conformal
from bdlzoo.core.class_draws import (
    ClassSummary,
    ClassSums,
    HeldClassDraws,
    finite,
)
from bdlzoo.core.measure import measure
from bdlzoo.core.text_table import SHOWN, is_readable, places, sizes, text_table


class ClassPrediction:
    """Prediction of a class.

    Args:
        draws: Log class probabilities of the draws, `[S, B, ..., C]`, or the
            `ClassSummary` of draws that are not held.
        log_mean: Log of the calibrated predictive, `[B, ..., C]`; `None` takes
            the plain mean over draws.
        set_rule: `SetRule` of conformal prediction, or `None`.
        uniforms: A uniform number a row, `[B]`, for randomised sets.
        log_plain: Log of the predictive before calibration, `[B, ..., C]`, if it is
            known without draws; `None` takes the mean over draws.
    """

    served = ("probabilities", "label", "confidence", "predictive_entropy",
              "expected_entropy", "mutual_information", "variation_ratio")

    pilot_draws = 0  # Draws that are needed before others can be summed.
    held_draws = 1  # Draws that take no more memory than their summary.

    def __init__(self, draws, log_mean=None, set_rule=None, uniforms=None,
                 log_plain=None):
        known = isinstance(draws, (HeldClassDraws, ClassSummary))
        self.draws = draws if known else HeldClassDraws(draws)
        self.log_mixture = self.draws.log_mixture
        self.log_plain = self.log_mixture if log_plain is None else log_plain
        self.log_mean = self.log_plain if log_mean is None else log_mean
        self._set_rule, self._uniforms = set_rule, uniforms

    def __repr__(self):
        name, shape = type(self).__name__, self.log_mixture.shape
        draws = self.draws.num_draws
        if not is_readable(self.log_mixture) or len(shape) < 2:
            return f"{name}(log_probs of shape {(draws, *shape)})"
        rows = self.rows()
        first = type(rows)(rows.draws.rows(slice(SHOWN)), rows.log_mean[:SHOWN])
        columns = {**places(shape[:-1], SHOWN), "label": first.label,
                   "probability": first.confidence,
                   "entropy": first.predictive_entropy,
                   "mutual_information": first.mutual_information}
        title = f"{name} ({sizes(shape[:-1])}, draws: {draws}, classes: {shape[-1]})"
        return text_table(title, columns, rows.log_mixture.shape[0] > SHOWN)

    def rows(self):
        """The same prediction with all positions as rows, `[S, N, C]`."""
        return self._flat(type(self))

    def taken(self, rows):
        """The same prediction of some rows, given by their places `[K]`."""
        uniforms = self._uniforms if self._uniforms is None else tf.gather(
            self._uniforms, rows)
        return type(self)(self.draws.taken(rows), tf.gather(self.log_mean, rows),
                          self._set_rule, uniforms, tf.gather(self.log_plain, rows))

    def _flat(self, kind):
        if len(self.log_mixture.shape) == 2:
            return self
        uniforms = self._uniforms
        if uniforms is not None:
            uniforms = tf.reshape(conformal.of_positions(
                uniforms, tf.shape(self.log_mean)[:-1]), [-1])
        log_mean, log_plain = (tf.reshape(part, [-1, part.shape[-1]])
                               for part in (self.log_mean, self.log_plain))
        return kind(self.draws.flat(), log_mean, self._set_rule, uniforms, log_plain)

    @property
    def num_draws(self):
        """Number of draws."""
        return self.draws.num_draws

    @property
    def log_probs(self):
        """Log class probabilities of the draws, `[S, B, ..., C]`, if they are held."""
        return self.draws.log_probs

    def sums(self, weights, guide=None):
        """Sums over the draws whose weight `[S]` is 1, to be merged with others."""
        del guide
        return ClassSums.of(self.log_probs, weights)

    def of_sums(self, sums, num_draws, guide=None):
        """A prediction of this kind from the sums of all draws."""
        del guide
        return self.summarised(sums.summary(self.log_mixture.dtype, num_draws))

    def summarised(self, summary):
        """A prediction of this kind from a summary."""
        return type(self)(summary)

    @property
    def summary(self):
        """Measures of draws that are not held, a `ClassSummary`."""
        if isinstance(self.draws, HeldClassDraws):
            raise AttributeError("The draws of this prediction are held.")
        return self.draws

    @classmethod
    def joined(cls, parts):
        """One prediction of the rows of several, whose draws are not held."""
        first = parts[0]
        return cls(ClassSummary.joined([part.draws for part in parts]),
                   tf.concat([part.log_mean for part in parts], axis=0),
                   first._set_rule, None if first._uniforms is None else
                   tf.concat([part._uniforms for part in parts], axis=0),
                   tf.concat([part.log_plain for part in parts], axis=0))

    def known(self, log_plain):
        """The same draws, with an averaged predictive that is known without them.

        Args:
            log_plain: Log probabilities `[B, ..., C]`.
        """
        log_plain = tf.cast(log_plain, self.log_mixture.dtype)
        return type(self)(self.draws, log_plain=log_plain)

    def tempered(self, temperature):
        """The same draws, their averaged predictive at a temperature."""
        scaled = self.log_plain / tf.cast(temperature, self.log_plain.dtype)
        return self._corrected(tf.nn.log_softmax(scaled))

    def scaled(self, scale, shift):
        """The same draws, a scale and a shift for each class of their mean."""
        scale, shift = (tf.cast(t, self.log_plain.dtype) for t in (scale, shift))
        return self._corrected(tf.nn.log_softmax(self.log_plain * scale + shift))

    def mapped(self, knots, values):
        """The same draws, each class of their mean through its own curve.

        Args:
            knots: Probabilities in rising order, `[C, K]`.
            values: Their images, joined by straight lines, `[C, K]`.
        """
        knots, values = (tf.cast(t, self.log_plain.dtype) for t in (knots, values))
        classes = tf.shape(knots)[0]
        probs = tf.transpose(tf.reshape(tf.exp(self.log_plain), [-1, classes]))
        right = tf.clip_by_value(tf.searchsorted(knots, probs, side="right"),
                                 1, tf.shape(knots)[1] - 1)  # [C, B]
        x_0, x_1, y_0, y_1 = (
            tf.gather(table, index, batch_dims=1)
            for table in (knots, values) for index in (right - 1, right))
        # Knots may coincide, where a curve jumps or was filled up.
        share = tf.clip_by_value((probs - x_0) / tf.maximum(x_1 - x_0, 1e-30),
                                 0.0, 1.0)
        mapped = tf.transpose(y_0 + share * (y_1 - y_0))
        mapped = tf.reshape(tf.maximum(mapped, 1e-30), tf.shape(self.log_plain))
        return self._corrected(tf.math.log(mapped) - tf.math.log(
            tf.reduce_sum(mapped, axis=-1, keepdims=True)))

    def with_sets(self, log_mean, set_rule, uniforms):
        """The same draws, with a corrected mean and its conformal sets."""
        return self._corrected(log_mean, set_rule, uniforms)

    def _corrected(self, log_mean, set_rule=None, uniforms=None):
        return type(self)(self.draws, log_mean, set_rule, uniforms, self.log_plain)

    def log_prob(self, targets):
        """Log probability of each target class, `[B, ...]`.

        Args:
            targets: Class indices, or class probabilities `[B, ..., C]`, for which
                it is the mean.
        """
        targets, log_mean = map(tf.convert_to_tensor, (targets, self.log_mean))
        if targets.shape.rank == log_mean.shape.rank and (
                targets.shape[-1] == log_mean.shape[-1]):  # Class probabilities.
            shares = tf.cast(targets, log_mean.dtype)
            return tf.reduce_sum(shares * finite(log_mean), axis=-1)
        targets = tf.reshape(tf.cast(targets, tf.int32), tf.shape(log_mean)[:-1])
        return tfd.Categorical(logits=log_mean).log_prob(targets)

    def cross_entropy(self, other):
        """Cross entropy of this prediction and `other` in nats, `[B, ...]`."""
        return -tf.reduce_sum(self.probabilities * finite(other.log_mean), axis=-1)

    @measure
    def probabilities(self):
        """Class probabilities, `[B, ..., C]`."""
        return tf.exp(self.log_mean)

    @property
    def mean(self):
        """What `model.predict` returns: the class probabilities."""
        return self.probabilities

    @measure
    def label(self):
        """Most probable class."""
        return tf.argmax(self.log_mean, axis=-1, output_type=tf.int32)

    @measure
    def confidence(self):
        """Probability of that class."""
        return tf.exp(tf.reduce_max(self.log_mean, axis=-1))

    @measure
    def predictive_entropy(self):
        """Entropy of the mean over draws, in nats: total uncertainty."""
        return -tf.reduce_sum(
            tf.exp(self.log_mixture) * finite(self.log_mixture), axis=-1)

    @measure
    def expected_entropy(self):
        """Mean entropy of the draws: what more data would not remove."""
        return self.draws.expected_entropy

    @measure
    def mutual_information(self):
        """Disagreement of the draws (BALD): what more data would remove."""
        return self.draws.mutual_information

    @measure
    def variation_ratio(self):
        """Share of draws that do not vote for the most voted class."""
        return self.draws.variation_ratio

    @measure
    def mean_variation_ratio(self):
        """One minus the largest mean probability: the other ratio so called."""
        return 1.0 - tf.exp(tf.reduce_max(self.log_mixture, axis=-1))

    @measure
    def mean_std(self):
        """Standard deviation over draws, averaged over classes."""
        return self.draws.mean_std

    @measure
    def total_variance(self):
        """Variance over draws, summed over classes."""
        return self.draws.total_variance

    @measure
    def prediction_set(self):
        """Bools, `[B, ..., C]`: sets that cover the true class as often as asked.

        A set can be empty: nothing is added to it, so that coverage is exact.
        """
        if self._set_rule is None:
            raise ValueError(
                "Expected a model with a threshold for its sets: call "
                "`model.calibrate(x, y, method=\"lac\")` (or \"aps\", \"raps\") "
                "on held-out data first. Received: none")
        return conformal.in_set(self.log_mean, self._uniforms, self._set_rule)

    @measure
    def set_size(self):
        """Number of classes in the set, `[B, ...]`."""
        return tf.reduce_sum(tf.cast(self.prediction_set, tf.int32), axis=-1)

    def measures(self, covering=False):
        """Outputs of a served model: tensors by name, batch first.

        Args:
            covering: Bool, whether results of conformal calibration are included.
        """
        served = (*self.served, "prediction_set") if covering else self.served
        return {name: getattr(self, name) for name in served}


class BinaryPrediction(ClassPrediction):
    """Prediction of one of two classes; `mean` is for class 1, `[B, ..., 1]`."""

    @measure
    def mean(self):
        """What `model.predict` returns: the probability of class 1."""
        return tf.exp(self.log_mean[..., 1:])


class MultiLabelPrediction(BinaryPrediction):
    """Prediction of L labels that are yes or no; `mean` is `[B, ..., L]`."""

    @measure
    def mean(self):
        """What `model.predict` returns: the probability that each label holds."""
        return tf.exp(self.log_mean[..., 1])

    def rows(self):
        return self._flat(BinaryPrediction)
