"""Draws of class probabilities, which are held, or summed as they come.

Sums of two groups of draws, a and b, of `n_a` and `n_b` draws, are merged by

    mean       = (n_a mean_a + n_b mean_b) / n,                         n = n_a + n_b
    entropy    = (n_a entropy_a + n_b entropy_b) / n
    divergence = sum over i = a, b of n_i / n (divergence_i + KL(mean_i || mean))
    squares    = squares_a + squares_b + n_a n_b / n (mean_a - mean_b)**2

The divergence is the mutual information, and the squares are those of deviations from
the mean. Neither is a difference of large numbers. The sums are in float64, so that
many small parts give what one large part gives.

Reference: Chan et al., Updating Formulae and a Pairwise Algorithm for Computing Sample
Variances, COMPSTAT 1982.
"""

import typing

import tensorflow as tf

from bdlzoo.core.measure import log_mean_of


class HeldClassDraws:
    """Draws in memory, from which measures are computed when they are read.

    Args:
        log_probs: Log class probabilities, `[S, B, ..., C]`.
    """

    def __init__(self, log_probs):
        self.log_probs = tf.convert_to_tensor(log_probs)
        self.log_mixture = log_mean_of(self.log_probs)

    @property
    def num_draws(self):
        return self.log_probs.shape[0]

    def rows(self, rows):
        """The draws of some rows, a slice."""
        return HeldClassDraws(self.log_probs[:, rows])

    def taken(self, rows):
        """The draws of some rows, given by their places `[K]`."""
        return HeldClassDraws(tf.gather(self.log_probs, rows, axis=1))

    def flat(self):
        """The same with all positions as rows, `[S, N, C]`."""
        return HeldClassDraws(_as_rows(self.log_probs, 1))

    @property
    def expected_entropy(self):
        return -tf.reduce_mean(tf.reduce_sum(
            tf.exp(self.log_probs) * finite(self.log_probs), axis=-1), axis=0)

    @property
    def mutual_information(self):
        # As a mean of divergences: the difference of entropies goes negative.
        gap = finite(self.log_probs) - finite(self.log_mixture)
        return tf.reduce_mean(tf.reduce_sum(
            tf.exp(self.log_probs) * gap, axis=-1), axis=0)

    @property
    def variation_ratio(self):
        return 1.0 - tf.reduce_max(tf.reduce_mean(_votes(self.log_probs), axis=0),
                                   axis=-1)

    @property
    def mean_std(self):
        return tf.reduce_mean(
            tf.math.reduce_std(tf.exp(self.log_probs), axis=0), axis=-1)

    @property
    def total_variance(self):
        return tf.reduce_sum(
            tf.math.reduce_variance(tf.exp(self.log_probs), axis=0), axis=-1)


class ClassSummary(typing.NamedTuple):
    """Measures of draws that are not held: tensors or arrays, batch first."""

    log_mixture: typing.Any  # [B, ..., C], the others [B, ...].
    expected_entropy: typing.Any
    mutual_information: typing.Any
    variation_ratio: typing.Any
    mean_std: typing.Any
    total_variance: typing.Any
    num_draws: typing.Any  # A number.

    @property
    def log_probs(self):
        raise ValueError(
            "Expected draws that are held, but they took more memory than the budget "
            "and were summed as they came: take `model.sample_outputs(x)` for fewer "
            "rows or draws, or read the measures of the prediction. Received: a "
            f"summary of {self.num_draws} draws of shape {self.log_mixture.shape}")

    def rows(self, rows):
        """The measures of some rows, a slice."""
        return self._replace(**{name: part[rows] for name, part in
                                self._asdict().items() if name != "num_draws"})

    def taken(self, rows):
        """The measures of some rows, given by their places `[K]`."""
        return self._replace(**{name: tf.gather(part, rows) for name, part in
                                self._asdict().items() if name != "num_draws"})

    def flat(self):
        """The same with all positions as rows."""
        return self._replace(
            log_mixture=_as_rows(self.log_mixture, 0),
            **{name: tf.reshape(getattr(self, name), [-1]) for name in self._fields
               if name not in ("log_mixture", "num_draws")})

    @classmethod
    def joined(cls, summaries):
        """Summaries of the same draws, with their rows one after the other."""
        *columns, counts = zip(*summaries, strict=True)
        return cls(*(tf.concat(column, axis=0) for column in columns), counts[0])


class ClassSums(typing.NamedTuple):
    """Sums over draws, which can be merged."""

    count: tf.Tensor  # Number of draws, a scalar.
    log_mean: tf.Tensor  # Log of the mean probabilities, [B, ..., C].
    entropy: tf.Tensor  # Mean entropy, [B, ...].
    divergence: tf.Tensor  # Mean divergence from the mean, [B, ...].
    votes: tf.Tensor  # Draws whose largest class it is, [B, ..., C].
    squares: tf.Tensor  # Sum of squared deviations, [B, ..., C].

    @classmethod
    def of(cls, log_probs, weights):
        """Sums of the draws `[S, B, ..., C]` whose weight `[S]` is 1, and not 0."""
        weights = tf.cast(weights, log_probs.dtype)
        count = tf.reduce_sum(weights)
        share = tf.reshape(weights / tf.maximum(count, 1.0),
                           [-1, *[1] * (len(log_probs.shape) - 1)])
        log_mean = tf.reduce_logsumexp(log_probs + tf.math.log(share), axis=0)
        probs, held = tf.exp(log_probs), finite(log_probs)

        def mean(numbers):  # Also where a draw that does not count is not finite.
            return tf.reduce_sum(tf.math.multiply_no_nan(
                numbers, tf.broadcast_to(share, tf.shape(numbers))), axis=0)

        def over_classes(numbers):
            return mean(tf.reduce_sum(numbers, axis=-1, keepdims=True))[..., 0]

        return cls(*(tf.cast(part, tf.float64) for part in (
            count, log_mean, -over_classes(probs * held),
            over_classes(probs * (held - finite(log_mean))),
            count * mean(_votes(log_probs)),
            count * mean(tf.math.squared_difference(probs, tf.exp(log_mean))))))

    def cleared(self):
        """Sums of no draw, in the same shapes."""
        zeros = ClassSums(*map(tf.zeros_like, self))
        return zeros._replace(log_mean=zeros.log_mean - float("inf"))

    def merged(self, other):
        """Sums of the draws of both."""
        count = self.count + other.count
        shares = self.count / count, other.count / count
        log_mean = _log_sum(*(part.log_mean + tf.math.log(share)
                              for part, share in zip((self, other), shares)))
        means = [tf.exp(part.log_mean) for part in (self, other)]
        gaps = [finite(part.log_mean) - finite(log_mean) for part in (self, other)]
        divergences = [
            part.divergence + tf.reduce_sum(mean * gap, axis=-1)
            for part, mean, gap in zip((self, other), means, gaps)]
        return ClassSums(
            count, log_mean,
            shares[0] * self.entropy + shares[1] * other.entropy,
            shares[0] * divergences[0] + shares[1] * divergences[1],
            self.votes + other.votes,
            self.squares + other.squares
            + self.count * shares[1] * tf.math.squared_difference(*means))

    def summary(self, dtype, num_draws):
        """The `ClassSummary` of these sums.

        Args:
            dtype: Type of its numbers.
            num_draws: Number of draws.
        """
        variances = self.squares / self.count
        return ClassSummary(*(tf.cast(part, dtype) for part in (
            self.log_mean, self.entropy, self.divergence,
            1.0 - tf.reduce_max(self.votes, axis=-1) / self.count,
            tf.reduce_mean(tf.sqrt(variances), axis=-1),
            tf.reduce_sum(variances, axis=-1))), num_draws)


def finite(log_probs):
    """Log-probabilities with a finite number for log 0."""
    # 0 log 0 is 0; with log 0 = minus infinity the product would be NaN.
    return tf.maximum(log_probs, log_probs.dtype.min)


def _as_rows(tensor, axis):
    """The axes from `axis` up to the last but one as one."""
    shape = tf.shape(tensor)
    return tf.reshape(tensor, tf.concat([shape[:axis], [-1], shape[-1:]], axis=0))


def _votes(log_probs):
    return tf.one_hot(tf.argmax(log_probs, axis=-1), tf.shape(log_probs)[-1],
                      dtype=log_probs.dtype)


def _log_sum(first, second):
    """Log of the sum of exponentials; minus infinity stands for nothing."""
    low, top = tf.minimum(first, second), tf.maximum(first, second)
    return tf.where(tf.math.is_inf(low), top, top + tf.math.log1p(tf.exp(low - top)))
