"""Predictions of numbers from posterior draws, as mixtures of any distribution.

With draw s saying a distribution with the moments `means_s` and `variances_s`:

    epistemic = Var over s of means_s,   aleatoric = mean over s of variances_s
    cdf       = mean over s of cdf_s,    cdf(quantile(level)) = level   by bisection

The continuous ranked probability score is the integral of `(cdf(t) - 1[y <= t])^2`. It
is computed by Gauss-Legendre quadrature between quantiles of the mixture and the
target. The error is about 1e-5 of the score, and up to 1e-3 of it if draws are narrow
and far apart.

A temperature stretches the mixture about its mean, if all numbers have a density. The
conformal interval widens the central interval by one factor on both sides of the
median, so it needs no moments, and is as asymmetric as the prediction:

    score    = (y - median) / (q_95 - median)   above the median, and so below
    interval = [median - t (median - q_05), median + t (q_95 - median)]

Reference: Gneiting and Raftery, Strictly Proper Scoring Rules, JASA 2007; Kivaranovic
et al., Adaptive, Distribution-Free Prediction Intervals for Deep Networks, AISTATS
2020.
"""

import functools

import numpy as np
import tensorflow as tf
from tensorflow_probability import bijectors as tfb
from tensorflow_probability import distributions as tfd

from bdlzoo.core.measure import log_mean_of
from bdlzoo.core.regression_prediction import QUANTILES, RegressionPrediction
from bdlzoo.core.text_table import SHOWN, is_readable, text_table

_HALVINGS, _FEW_HALVINGS = 40, 12  # For quantiles, and for knots near them.
_FAR = 80.0  # Its `sinh` is nearly the largest float.
_KNOTS = np.array([1e-5, 1e-3, 0.01, *np.linspace(0.04, 0.96, 18), 0.99, 0.999,
                   1 - 1e-5])
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(6)


class DistributionPrediction(RegressionPrediction):
    """Prediction of numbers by a mixture of distributions, one a draw.

    Args:
        components: Distribution of TensorFlow Probability over single numbers, with a
            batch of `[S, B, ..., D]`.
        temperature: Scalar by which the mixture is stretched about its mean; `None`
            for none.
        threshold: Factor of the conformal interval, `[D]`, or `None`.
        source: Pair of a function and of the tensor `[S, B, ..., P]` from which it
            made the components. It makes predictions of some of the rows; `None` if
            they are not needed.
    """

    hull = (0.05, 0.5, 0.95)  # Levels of the interval that conformal ones widen.
    held_draws = float("inf")  # Sums of any distribution are not known.
    joined = None

    def __init__(self, components, temperature=None, threshold=None, source=None):
        self.components = components
        self._temperature = temperature
        self._threshold = threshold
        self._source = source

    @classmethod
    def made(cls, make, outputs):
        """A prediction whose components a function makes from outputs."""
        outputs = tf.convert_to_tensor(outputs)
        return cls(make(outputs), source=(make, outputs))

    @property
    def rigid(self):
        """Why a temperature cannot stretch this prediction; empty if it can."""
        if self._is_real:
            return ""
        return (f"{self.components.name} has no density for some numbers, and a "
                "stretched one would have it there")

    @functools.cached_property
    def means(self):
        """Means of the draws, `[S, B, ..., D]`."""
        return self._stretched(self._plain_means)

    @functools.cached_property
    def variances(self):
        """Variances of the draws, `[S, B, ..., D]`."""
        variances = self._broadcast(self.components.variance())
        return variances if self._temperature is None else (
            tf.cast(self._temperature, variances.dtype)**2 * variances)

    def __repr__(self):
        name, shape = type(self).__name__, self.means.shape
        if not is_readable(self.means) or len(shape) != 3:
            return f"{name}(components of shape {tuple(shape)})"
        first = self.like(self.components[:, :SHOWN], self._temperature, None, None)
        rows, outputs = np.indices(first.mean.shape)
        columns = {"row": rows, "output": outputs, "mean": first.mean,
                   "std": first.std}
        if self.has_cdf:
            columns["low_95"], columns["high_95"] = first.interval(0.95)
        if shape[2] == 1:
            del columns["output"]
        columns = {key: np.ravel(values)[:SHOWN] for key, values in columns.items()}
        title = (f"{name} of {self.components.name} (rows: {shape[1]}, draws: "
                 f"{shape[0]}, outputs: {shape[2]})")
        return text_table(title, columns, shape[1] * shape[2] > SHOWN)

    def like(self, components, temperature, threshold, source):
        """A prediction of the same kind; the arguments are those of the class."""
        return type(self)(components, temperature, threshold, source)

    def rows(self):
        """The same prediction with all positions as rows, `[S, N, D]`."""
        if self.components.batch_shape.rank == 3:
            return self
        return self._changed(lambda outputs: tf.reshape(
            outputs, [tf.shape(outputs)[0], -1, outputs.shape[-1]]))

    def taken(self, rows):
        """The same prediction of some rows, given by their places `[K]`."""
        return self._changed(lambda outputs: tf.gather(outputs, rows, axis=1))

    def _changed(self, change):
        if self._source is None:
            raise ValueError("Expected a prediction that a likelihood made, to choose "
                             f"rows of it. Received: {self!r}")
        make, outputs = self._source
        outputs = change(outputs)
        return self.like(make(outputs), self._temperature, self._threshold,
                         (make, outputs))

    def tempered(self, temperature):
        """Stretches the mixture about its mean; variances grow by T squared."""
        if self.rigid:
            raise ValueError("Expected a prediction that a temperature can stretch. "
                             f"Received: one where {self.rigid}")
        if self._temperature is not None:
            temperature = self._temperature * temperature
        return self.like(self.components, temperature, None, self._source)

    def with_interval(self, threshold):
        """The same mixture, with its conformal interval."""
        return self.like(self.components, self._temperature, threshold, self._source)

    def log_prob(self, targets):
        """Log density of each target under the mixture, `[B, ...]`."""
        targets = self._unstretched(self._like_mean(targets))
        # A draw is one function for all outputs: the sum over outputs comes first.
        log_probs = log_mean_of(tf.reduce_sum(
            self.components.log_prob(self._broadcast(targets)), axis=-1))
        if self._temperature is None:
            return log_probs
        size = float(self.means.shape[-1])
        return log_probs - size * tf.math.log(tf.cast(
            self._temperature, log_probs.dtype))

    def cross_entropy(self, other):
        """Refused: it has a closed form for Gaussians only."""
        raise ValueError(
            "Expected a Gaussian likelihood for the cross entropy of two predictions. "
            f"Received: {other.components.name}")

    def cdf(self, targets):
        """Probability of a value up to each target, by output: `[B, ..., D]`."""
        return self._mixture_cdf(self._unstretched(self._like_mean(targets))[None])[0]

    def crps(self, targets):
        """Continuous ranked probability score, by quadrature: `[B, ..., D]`."""
        targets = self._unstretched(self._like_mean(targets))
        return self._scaled(self._in_graph(lambda: self._plain_crps(targets)))

    def _plain_crps(self, targets):
        knots = tf.concat([self._search(_KNOTS, _FEW_HALVINGS), targets[None]], axis=0)
        knots = tf.sort(tf.stop_gradient(knots), axis=0)  # [K, B, ..., D]

        def add(total, panel):
            low, high = panel
            half = 0.5 * (high - low)
            places = 0.5 * (low + high) + half * self._column(_NODES)
            gaps = self._mixture_cdf(places) - tf.cast(places >= targets, half.dtype)
            return total + half * tf.reduce_sum(
                self._column(_WEIGHTS) * gaps**2, axis=0)

        # A loop over panels: all nodes of all draws at once would take much memory.
        return tf.foldl(add, (knots[:-1], knots[1:]), tf.zeros_like(targets))

    def quantile(self, level):
        """Values below which the prediction lies with probability `level`.

        Args:
            level: Float, for `[B, ..., D]`, or Q floats, for `[B, ..., D, Q]`.
        """
        level = tf.convert_to_tensor(level, self.components.dtype)
        levels = tf.reshape(level, [-1])
        found = self._stretched(self._in_graph(lambda: self._search(levels)))
        return tf.stack(tf.unstack(found, num=level.shape[0]), axis=-1) if (
            level.shape.rank) else found[0]

    def conformal_scores(self, targets):
        """Distance of targets from the median, `[B, ..., D]`; see the module."""
        middle, below, above = self._hull_widths
        gap = self._like_mean(targets) - middle
        return tf.abs(gap) / tf.where(gap < 0, below, above)

    @functools.cached_property
    def conformal_interval(self):
        """Interval that holds the value at the level asked for: `(low, high)`."""
        if self._threshold is None:
            raise ValueError(
                "Expected a model with a threshold for its intervals: call "
                "`model.calibrate(x, y, method=\"interval\")` on held-out data "
                "first. Received: none")
        middle, below, above = self._hull_widths
        threshold = tf.cast(self._threshold, middle.dtype)
        ends = self._inside(middle - threshold * below, middle + threshold * above)
        return tuple(map(np.asarray, ends)) if tf.executing_eagerly() else ends

    @property
    def has_cdf(self):
        """Whether there are quantiles, intervals and a CRPS."""
        return any(hasattr(self.components, name) for name in ("_cdf", "_log_cdf"))

    def measures(self, covering=False):
        """Outputs of a served model: tensors by name, batch first."""
        answer = {name: getattr(self, name) for name in self.served}
        if self.has_cdf:
            quantiles = self.quantile(QUANTILES)  # [B, ..., D, Q]
            answer.update(quantiles=quantiles, low_95=quantiles[..., 0],
                          high_95=quantiles[..., -1])
        if covering:
            low, high = self.conformal_interval
            answer.update(conformal_low=low, conformal_high=high)
        return answer

    def ends(self):
        """Smallest and largest value that a draw can have: two tensors."""
        if self._is_real:
            return tuple(tf.constant(end, self.components.dtype)
                         for end in (-np.inf, np.inf))
        bijector = event_space(self.components)
        ends = [bijector.forward(tf.constant(end, self.components.dtype))
                for end in (-np.inf, np.inf)]
        return tf.minimum(*ends), tf.maximum(*ends)

    # The mixture before it is stretched.

    def _in_graph(self, function):
        """Runs loops as a graph, whose steps take less time than eager ones."""
        _ = self._centre, self._spread  # Not to be kept as tensors of a loop.
        if tf.executing_eagerly():  # A concrete one does not warn of being new.
            function = tf.function(function, autograph=False).get_concrete_function()
        return function()

    @functools.cached_property
    def _plain_means(self):
        return self._broadcast(self.components.mean())

    def _broadcast(self, moment):
        # Parameters that are shared by draws or outputs have smaller moments.
        full = tf.broadcast_to(moment, self.components.batch_shape_tensor())
        return tf.ensure_shape(full, self.components.batch_shape)

    @functools.cached_property
    def _centre(self):
        mean, _ = self._moments
        # Without a mean there is no centre: the mixture is stretched about zero.
        return tf.where(tf.math.is_finite(mean), mean, tf.zeros_like(mean))

    @functools.cached_property
    def _spread(self):
        _, variance = self._moments
        return tf.where(tf.math.is_finite(variance) & (variance > 0),
                        tf.sqrt(variance), tf.ones_like(variance))

    @functools.cached_property
    def _moments(self):
        """Mean and variance of the plain mixture, `[B, ..., D]`."""
        variances = self._broadcast(self.components.variance())
        return (tf.reduce_mean(self._plain_means, axis=0), tf.reduce_mean(
            variances, axis=0) + tf.math.reduce_variance(self._plain_means, axis=0))

    def _stretched(self, values):
        if self._temperature is None:
            return values
        temperature = tf.cast(self._temperature, values.dtype)
        return self._centre + temperature * (values - self._centre)

    def _unstretched(self, values):
        if self._temperature is None:
            return values
        temperature = tf.cast(self._temperature, values.dtype)
        return self._centre + (values - self._centre) / temperature

    def _scaled(self, score):
        return score if self._temperature is None else (
            tf.cast(self._temperature, score.dtype) * score)

    def _like_mean(self, targets):
        dtype, shape = self.components.dtype, self.components.batch_shape_tensor()
        return tf.reshape(tf.cast(targets, dtype), shape[1:])

    def _column(self, values):
        """Numbers `[Q]` as `[Q, 1, ...]`, for a prediction `[B, ..., D]`."""
        rank = self.components.batch_shape.rank - 1
        return tf.reshape(tf.cast(values, self.components.dtype), [-1] + [1] * rank)

    @functools.cached_property
    def _is_real(self):
        return isinstance(event_space(self.components), tfb.Identity)

    def _inside(self, low, high):
        """Ends of an interval without values that are not possible."""
        if self._is_real:
            return low, high
        least, most = (self._broadcast(end) for end in self.ends())
        return (tf.maximum(low, tf.reduce_min(least, axis=0)),
                tf.minimum(high, tf.reduce_max(most, axis=0)))

    def _mixture_cdf(self, values):
        """Probability of a value up to each of `[Q, B, ..., D]`."""
        if not self.has_cdf:
            raise ValueError(
                "Expected a distribution with a `cdf`, for quantiles, intervals and "
                f"CRPS: choose another one. Received: {self.components.name}, which "
                "has densities and moments only")
        # Not every distribution broadcasts, or keeps the static shape for a loop.
        full = tf.concat([tf.shape(values)[:1], self.components.batch_shape_tensor()],
                         axis=0)
        cdf = self._cdf_of_draws(tf.broadcast_to(values[:, None], full))
        return tf.ensure_shape(tf.reduce_mean(cdf, axis=1), values.shape)

    def _cdf_of_draws(self, values):
        """Probability of a value up to each of `[Q, S, B, ..., D]`, by draw."""
        if self._is_real:
            return self.components.cdf(values)
        least, most = self.ends()
        inside = (values > least) & (values < most)
        # Outside of its values, a distribution may have any `cdf`.
        cdf = self.components.cdf(tf.where(inside, values, self._plain_means))
        return tf.where(inside, cdf, tf.cast(values >= most, cdf.dtype))

    def _search(self, levels, halvings=_HALVINGS):
        """Quantiles of the plain mixture, `[Q, B, ..., D]`."""
        levels = self._column(levels)

        def halve(low, high):
            middle = self._middle(low, high)
            below = self._mixture_cdf(self._value(middle)) < levels
            return tf.where(below, middle, low), tf.where(below, high, middle)

        low, high = tf.while_loop(lambda *_: True, halve, self._bracket(levels),
                                  maximum_iterations=halvings)
        return self._value(self._chosen(low, high))

    def _bracket(self, levels):
        """Places below and above the quantiles."""
        low, high = self._reaches(levels)
        # The width of the tails of a mixture without a variance is not known.
        known = tf.math.is_finite(self._moments[1])
        return tuple(tf.where(known, tf.asinh(reach), sign * _FAR)
                     for reach, sign in ((-low, -1.0), (high, 1.0)))

    def _reaches(self, levels):
        """Largest distances of quantiles from the mean, in standard deviations."""
        # Cantelli's inequality, with room for rounding.
        return (1.01 * tf.sqrt((1.0 - levels) / levels),
                1.01 * tf.sqrt(levels / (1.0 - levels)))

    def _value(self, place):
        # Fine near the mean and wide far away, so that few halvings reach all floats.
        return self._centre + self._spread * tf.sinh(place)

    def _middle(self, low, high):
        return 0.5 * (low + high)

    def _chosen(self, low, high):
        return 0.5 * (low + high)

    @functools.cached_property
    def _hull_widths(self):
        """Median, and the widths of the central interval below and above it."""
        low, middle, high = tf.unstack(self.quantile(self.hull), axis=-1)
        least = self._least_width(middle)
        return (middle, tf.maximum(middle - low, least),
                tf.maximum(high - middle, least))

    def _least_width(self, middle):
        # A point has an interval too, which must not be 0 times infinity.
        return tf.cast(1e-12, middle.dtype)


def event_space(distribution):
    """Bijector from all numbers to the values of a distribution; `None` for counts."""
    if isinstance(distribution, tfd.MixtureSameFamily):
        return event_space(distribution.components_distribution)
    if isinstance(distribution, tfd.Mixture):
        return event_space(distribution.components[0])
    return distribution.experimental_default_event_space_bijector()
