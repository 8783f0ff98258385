"""Prediction of real numbers whose draws were summed, and are not held.

    F(x) = normal distribution function of score(x)

The moments are exact. The distribution function F of the mixture and its density are
known at 33 nodes, and the score is a cubic between them. It is a straight line if the
mixture is a Gaussian. For mixtures without gaps the quantiles are exact to 0.02
standard deviations, probabilities and the CRPS (in standard deviations) to 0.005, and
log densities to 0.05. If all draws are much narrower than their distance, F is a
staircase, of which no more than the steps between nodes is known: quantiles are exact
to the distance of two nodes, 0.2 of a standard deviation near the mean and 0.4 at two.
"""

import functools
import math

import tensorflow as tf
from tensorflow_probability import distributions as tfd
from tensorflow_probability import math as tfm

from bdlzoo.core.measure import measure
from bdlzoo.core.mixture_sums import NODES, MixtureSummary
from bdlzoo.core.regression_prediction import RegressionPrediction

_LEAST = 1e-30  # Smallest probability of a tail.
# Points and weights of Gauss and Legendre for integrals over [0, 1].
_POINTS = 0.5 - 0.5 * 0.6**0.5, 0.5, 0.5 + 0.5 * 0.6**0.5
_WEIGHTS = 5 / 18, 8 / 18, 5 / 18


class SummedRegression(RegressionPrediction):
    """Prediction of real numbers from a summary of the draws.

    Args:
        summary: `MixtureSummary`.
        threshold: Half width of the conformal interval in standard deviations,
            `[D]`, or `None`.
    """

    def __init__(self, summary, threshold=None):
        self.summary = summary
        self._threshold = threshold

    def __repr__(self):
        return (f"{type(self).__name__}(draws: {self.num_draws}, mean of shape "
                f"{tuple(self.summary.mean.shape)})")

    @property
    def num_draws(self):
        return self.summary.num_draws

    @property
    def means(self):
        """Draws, which are not held: an error that says what to do."""
        raise ValueError(
            "Expected draws that are held, but they took more memory than the budget "
            "and were summed as they came: take `model.sample_outputs(x)` for fewer "
            "rows or draws, or read the measures of the prediction. Received: a "
            f"summary of {self.num_draws} draws of shape {self.summary.mean.shape}")

    variances = components = means

    @classmethod
    def joined(cls, parts):
        return cls(MixtureSummary.joined([part.summary for part in parts]),
                   parts[0]._threshold)

    def rows(self):
        """The same prediction with all positions as rows."""
        return type(self)(self.summary.flat(), self._threshold)

    def taken(self, rows):
        """The same prediction of some rows, given by their places `[K]`."""
        return type(self)(self.summary.taken(rows), self._threshold)

    def tempered(self, temperature):
        factor = tf.cast(temperature, self.summary.mean.dtype)
        mean, centre = self.summary.mean, self.summary.centre
        return type(self)(self.summary._replace(
            epistemic=factor**2 * self.summary.epistemic,
            aleatoric=factor**2 * self.summary.aleatoric,
            centre=mean + factor * (centre - mean), scale=factor * self.summary.scale))

    def with_interval(self, threshold):
        return type(self)(self.summary, threshold)

    @measure
    def mean(self):
        """Mean of the mixture, `[B, ..., D]`."""
        return tf.convert_to_tensor(self.summary.mean)

    @measure
    def epistemic(self):
        """Variance of the means of the draws."""
        return tf.convert_to_tensor(self.summary.epistemic)

    @measure
    def aleatoric(self):
        """Mean of the variances of the draws: the noise in the data."""
        return tf.convert_to_tensor(self.summary.aleatoric)

    def log_prob(self, targets):
        """Log density of each target, `[B, ...]`; outputs count as independent.

        The densities of a draw at several outputs were not held together.
        """
        x, scale = self._standard(targets), self.summary.scale
        score, slope = self._scores(x)
        each = (tf.math.log(slope) - tf.math.log(scale) - 0.5 * tf.square(score)
                - 0.5 * math.log(2.0 * math.pi))
        return tf.reduce_sum(each, axis=-1)

    def cdf(self, targets):
        return _normal_cdf(self._scores(self._standard(targets))[0])

    def crps(self, targets):
        x = self._standard(targets)
        inside = tf.clip_by_value(x, NODES[0], NODES[-1])
        place = _interval(self._nodes, inside)
        below, above = self._areas  # [B, ..., D, K - 1] for each interval
        steps = tf.range(len(NODES) - 1)
        area = tf.reduce_sum(tf.where(steps < place[..., None], below, tf.where(
            steps > place[..., None], above, 0.0)), axis=-1)
        left, right = (tf.gather(self._nodes, place + side) for side in (0, 1))
        area += self._area(left, inside, lower=True)
        area += self._area(inside, right, lower=False)
        # Further away all of the mixture is on one side.
        return self.summary.scale * (area + tf.abs(x - inside))

    def quantile(self, level):
        level = tf.cast(level, self.summary.mean.dtype)
        if level.shape.rank > 0:
            return tf.stack([self.quantile(each) for each in tf.unstack(level)],
                            axis=-1)
        score = tf.broadcast_to(tf.math.ndtri(level), tf.shape(self.summary.mean))
        scores, slopes = self._curve
        place = tf.clip_by_value(tf.reduce_sum(tf.cast(
            scores <= score[..., None], tf.int32), axis=-1) - 1, 0, len(NODES) - 2)
        low, high = (tf.gather(self._nodes, place + side) for side in (0, 1))

        def halve(low, high):
            middle = 0.5 * (low + high)
            below = self._scores(middle, place)[0] < score
            return tf.where(below, middle, low), tf.where(below, high, middle)

        low, high = tf.while_loop(lambda *_: True, halve, (low, high),
                                  maximum_iterations=24)
        # Outside of the nodes the curve is a straight line.
        before = self._nodes[0] + (score - scores[..., 0]) / slopes[..., 0]
        after = self._nodes[-1] + (score - scores[..., -1]) / slopes[..., -1]
        x = tf.where(score < scores[..., 0], before, tf.where(
            score > scores[..., -1], after, 0.5 * (low + high)))
        return self.summary.centre + self.summary.scale * x

    def _standard(self, targets):
        """Targets in the frame of the nodes."""
        targets = tf.reshape(tf.cast(targets, self.summary.mean.dtype),
                             tf.shape(self.summary.mean))
        return (targets - self.summary.centre) / self.summary.scale

    @functools.cached_property
    def _nodes(self):
        return tf.constant(NODES, self.summary.mean.dtype)

    @functools.cached_property
    def _curve(self):
        """Scores at the nodes and their slopes, `[B, ..., D, K]`."""
        tails = tf.clip_by_value(self.summary.tails, _LEAST, 1.0 - 1e-6)
        scores = tf.where(self._nodes > 0.0, -tf.math.ndtri(tails),
                          tf.math.ndtri(tails))
        # Rounding must not turn the curve, nor make it flat.
        scores = tfm.scan_associative(tf.maximum, scores, axis=-1)
        scores += 1e-6 * self._nodes
        slopes = self.summary.densities / tf.exp(-0.5 * tf.square(scores))
        slopes *= math.sqrt(2.0 * math.pi)
        gaps = self._nodes[1:] - self._nodes[:-1]
        lines = (scores[..., 1:] - scores[..., :-1]) / gaps
        # The cubic rises everywhere if no slope is above three times that of a line
        # beside it (Fritsch and Carlson, 1980).
        least = tf.minimum(tf.concat([lines[..., :1], lines], axis=-1),
                           tf.concat([lines, lines[..., -1:]], axis=-1))
        return scores, tf.clip_by_value(slopes, 1e-6, 3.0 * least)

    def _scores(self, x, place=None):
        """Score of standard values and its slope, by the cubic of their interval."""
        if place is None:
            place = _interval(self._nodes, x)
        left, right = (tf.gather(self._nodes, place + side) for side in (0, 1))
        ends = [_pick(part, place + side) for part in self._curve for side in (0, 1)]
        score, slope = _cubic((x - left) / (right - left), right - left, *ends)
        # Outside of the nodes, a straight line.
        out = x - tf.clip_by_value(x, left, right)
        return score + slope * out, tf.maximum(slope, 1e-6)

    @functools.cached_property
    def _areas(self):
        """Areas of the squares of F and of 1 - F in each interval."""
        gaps = self._nodes[1:] - self._nodes[:-1]
        ends = [part[..., side] for part in self._curve
                for side in (slice(-1), slice(1, None))]
        return [gaps * _integral(lambda t: _squared(_cubic(t, gaps, *ends)[0], lower))
                for lower in (True, False)]

    def _area(self, low, high, lower):
        """Such an area between two values of one interval."""
        place = _interval(self._nodes, 0.5 * (low + high))
        return (high - low) * _integral(lambda t: _squared(
            self._scores(low + t * (high - low), place)[0], lower))


def _cubic(t, gap, start, end, rise, fall):
    """Cubic over an interval and its slope, at shares `t` of the way.

    Args:
        t: Shares, clipped to `[0, 1]`.
        gap: Length of the interval.
        start: Value at its start.
        end: Value at its end.
        rise: Slope at its start.
        fall: Slope at its end.
    """
    t = tf.clip_by_value(t, 0.0, 1.0)
    rise, fall, step = gap * rise, gap * fall, end - start
    bend = rise + fall - 2.0 * step
    turn = 3.0 * step - 2.0 * rise - fall
    return (start + t * (rise + t * (turn + t * bend)),
            (rise + t * (2.0 * turn + t * 3.0 * bend)) / gap)


def _squared(score, lower):
    """Square of F, or of 1 - F."""
    return tf.square(_normal_cdf(score if lower else -score))


def _integral(function):
    """Integral of a function over [0, 1]."""
    return tf.add_n([weight * function(point)
                     for point, weight in zip(_POINTS, _WEIGHTS)])


def _interval(nodes, x):
    """Place of the interval of nodes that holds each value."""
    after = tf.searchsorted(nodes, tf.reshape(x, [-1]), side="right")
    return tf.clip_by_value(tf.reshape(after, tf.shape(x)) - 1, 0, len(NODES) - 2)


def _pick(table, place):
    """The number at a place of the last axis."""
    return tf.gather(table, place[..., None], batch_dims=place.shape.rank)[..., 0]


def _normal_cdf(x):
    return tfd.Normal(tf.zeros([], x.dtype), 1.0).cdf(x)
