"""Predictions of counts from posterior draws, as mixtures of any distribution.

    quantile(level) = smallest k with cdf(k) >= level
    crps            = sum over k of (cdf(k) - 1[y <= k])^2

The sum has one term for each count, up to 1,024 terms; a wider mixture is smooth, and
one term stands for several counts. The error is then about 1e-4 of the score. The
conformal interval is that of `DistributionPrediction`, with whole ends. A temperature
has no meaning: half of a count is none.
"""

import tensorflow as tf

from bdlzoo.core.distribution_prediction import DistributionPrediction

_TAIL = 1e-5
_MOST = 1024
_ROUNDING = 0.01  # An end at 2.9999999 is 3.


class CountPrediction(DistributionPrediction):
    """Prediction of whole numbers of at least 0, by a mixture with one part a draw.

    Args:
        components: Distribution of TensorFlow Probability over counts, with a batch
            of `[S, B, ..., D]`.
        temperature: `None`; counts cannot be stretched.
        threshold: Factor of the conformal interval, `[D]`, or `None`.
        source: Pair of a function and of the tensor from which it made the
            components; `None` if no rows are chosen.
    """

    rigid = "values are counts, and a stretched count is no whole number"

    def _plain_crps(self, targets):
        low, high = tf.unstack(self._search([_TAIL, 1.0 - _TAIL]))
        stride = tf.math.ceil((high - low) / _MOST)
        # An odd number of counts has one in the middle.
        stride = tf.maximum(stride + tf.cast(stride % 2 == 0, stride.dtype), 1.0)
        num_terms = tf.reduce_max(tf.math.ceil((high - low) / stride))

        def add(index, total):
            start = low + index * stride
            size = tf.clip_by_value(high - start, 0.0, stride)
            cdf = self._mixture_cdf((start + 0.5 * (stride - 1.0))[None])[0]
            below = tf.clip_by_value(targets - start, 0.0, size)
            return index + 1.0, total + below * cdf**2 + (size - below) * (1 - cdf)**2

        # Beyond the tails the distribution function is 0 or 1.
        outside = tf.nn.relu(low - targets) + tf.nn.relu(targets - high)
        _, score = tf.while_loop(lambda index, _: index < num_terms, add,
                                 (tf.zeros_like(num_terms), outside))
        return score

    def ends(self):
        """Smallest and largest count."""
        return tuple(tf.constant(end, self.components.dtype)
                     for end in (0.0, float("inf")))

    @property
    def _is_real(self):
        return True  # Counts that are not possible never reach a density below.

    def _mixture_cdf(self, values):
        # Between counts some distributions interpolate.
        values = tf.floor(values)
        cdf = super()._mixture_cdf(tf.maximum(values, 0.0))
        return tf.where(values < 0, tf.zeros_like(cdf), cdf)

    def _inside(self, low, high):
        return (tf.maximum(tf.math.ceil(low - _ROUNDING), 0.0),
                tf.floor(high + _ROUNDING))

    def _bracket(self, levels):
        low, high = self._reaches(levels)
        return (tf.maximum(tf.floor(self._centre - low * self._spread), 0.0) - 1.0,
                tf.math.ceil(self._centre + high * self._spread) + 1.0)

    def _value(self, place):
        return place

    def _middle(self, low, high):
        return tf.floor(0.5 * (low + high))

    def _chosen(self, low, high):
        return high

    def _least_width(self, middle):
        return tf.ones_like(middle)
