"""Sums over the draws of mixtures of Gaussians, which are not held.

    moments    mean and variance of the means, mean of the variances
    tails      probability below each node (above it, right of the centre), and density

The nodes are the same for all draws: `centre + scale * NODES`, from the moments of the
first draws (the pilot). At the nodes the distribution function and the density of the
mixture are exact; `bdlzoo.core.summed_regression` interpolates between them.
Deviations are merged as in `bdlzoo.core.class_draws`.
"""

import functools
import typing

import numpy as np
import tensorflow as tf
from tensorflow_probability import distributions as tfd

_STEPS, _REACH, _BEND = 16, 8.0, 2.5
# Dense in the middle (0.2 of a standard deviation), and 8 of them wide.
NODES = _REACH * np.sinh(_BEND * np.linspace(-1, 1, 2 * _STEPS + 1)) / np.sinh(_BEND)


class MixtureSummary(typing.NamedTuple):
    """What is kept of the draws of a mixture: tensors or arrays, batch first."""

    mean: typing.Any  # [B, ..., D], as the next ones.
    epistemic: typing.Any
    aleatoric: typing.Any
    centre: typing.Any
    scale: typing.Any
    tails: typing.Any  # [B, ..., D, K], as the densities.
    densities: typing.Any  # Of values in units of the scale.
    num_draws: typing.Any  # A number.

    def rows(self, rows):
        """The summary of some rows, a slice."""
        return self._replace(**{name: part[rows] for name, part in
                                self._asdict().items() if name != "num_draws"})

    def flat(self):
        """The same with all positions as rows."""
        outputs = self.mean.shape[-1]
        return self._replace(**{
            name: tf.reshape(part, [-1, outputs, *part.shape[len(self.mean.shape):]])
            for name, part in self._asdict().items() if name != "num_draws"})

    def taken(self, rows):
        """The same of some rows, given by their places `[K]`."""
        return self._replace(**{name: tf.gather(part, rows) for name, part in
                                self._asdict().items() if name != "num_draws"})

    @classmethod
    def joined(cls, summaries):
        """Summaries of the same draws, with their rows one after the other."""
        *columns, counts = zip(*summaries, strict=True)
        return cls(*(tf.concat(column, axis=0) for column in columns), counts[0])


class MixtureSums(typing.NamedTuple):
    """Sums over draws, which can be merged."""

    count: tf.Tensor  # Number of draws, a scalar.
    mean: tf.Tensor  # Mean of the means, [B, ..., D].
    squares: tf.Tensor  # Sum of their squared deviations, [B, ..., D].
    noise: tf.Tensor  # Sum of the variances, [B, ..., D].
    tails: tf.Tensor  # Sums of probabilities, [B, ..., D, K]; K is 0 for a pilot.
    densities: tf.Tensor

    @classmethod
    def of(cls, means, variances, weights, pilot=None):
        """Sums of the draws whose weight is 1, and not 0.

        Args:
            means: Means of the draws, `[S, B, ..., D]`.
            variances: Their variances, `[S, B, ..., D]`.
            weights: Weights of the draws, `[S]`.
            pilot: `MixtureSums` of the first draws, for the nodes; `None` for a pilot.
        """
        weights = tf.cast(weights, means.dtype)
        count = tf.reduce_sum(weights)
        total = functools.partial(_total, weights)
        mean = total(means) / tf.maximum(count, 1.0)
        if pilot is None:
            tails = densities = tf.zeros_like(mean)[..., None][..., :0]
        else:
            centre, scale = pilot.frame(means.dtype)
            tails, densities = map(_last, _at_nodes(
                (means - centre) / scale, tf.sqrt(variances) / scale, weights))
        return cls(*(tf.cast(part, tf.float64) for part in (
            count, mean, total(tf.math.squared_difference(means, mean)),
            total(variances))), tails, densities)

    def frame(self, dtype):
        """Centre and scale of the nodes."""
        variance = (self.squares + self.noise) / self.count
        return tf.cast(self.mean, dtype), tf.cast(tf.sqrt(variance), dtype)

    def cleared(self):
        """Sums of no draw, in the same shapes."""
        return MixtureSums(*map(tf.zeros_like, self))

    def merged(self, other):
        """Sums of the draws of both."""
        share = other.count / (self.count + other.count)
        step = other.mean - self.mean
        return MixtureSums(
            self.count + other.count, self.mean + share * step,
            self.squares + other.squares + self.count * share * tf.square(step),
            self.noise + other.noise, self.tails + other.tails,
            self.densities + other.densities)

    def summary(self, pilot, dtype, num_draws):
        """The `MixtureSummary` of these sums.

        Args:
            pilot: The sums of the first draws, which gave the nodes.
            dtype: Type of its numbers.
            num_draws: Number of draws.
        """
        share = tf.cast(1.0 / self.count, dtype)
        return MixtureSummary(
            tf.cast(self.mean, dtype),
            tf.cast(self.squares / self.count, dtype),
            tf.cast(self.noise / self.count, dtype), *pilot.frame(dtype),
            share * self.tails, share * self.densities, num_draws)


def _total(weights, numbers):
    """Sum over draws of their numbers `[S, ...]` times their weights `[S]`."""
    each = tf.reshape(weights, [-1, *[1] * (len(numbers.shape) - 1)])
    return tf.reduce_sum(each * numbers, axis=0)


@tf.function(autograph=False, reduce_retracing=True)
def _at_nodes(means, scales, weights):
    """Sums over draws of the tails and of the densities at each node."""
    components = tfd.Normal(means, scales)

    def at(node):  # Right of the centre, the tail above is more exact.
        tails = tf.cond(node > 0.0, lambda: components.survival_function(node),
                        lambda: components.cdf(node))
        return _total(weights, tails), _total(weights, components.prob(node))

    # Node by node: all at once would take many times the memory of the draws.
    return tf.map_fn(at, tf.constant(NODES, means.dtype), parallel_iterations=1,
                     fn_output_signature=(means.dtype, means.dtype))


def _last(tensor):
    """The first axis moved to the end."""
    return tf.transpose(tensor, [*range(1, tensor.shape.rank), 0])
