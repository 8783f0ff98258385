"""Distribution through given quantiles: straight between them, exponential outside.

    cdf(values_j) = levels_j,   straight lines between
    cdf(t)        = levels_0 exp((t - values_0) / b)       for t below values_0

and so above the last one. The scale b makes the density continuous where a tail begins.
"""

import tensorflow as tf

_TINY = 1e-12  # Quantiles that coincide are a jump.


class QuantileCurve:
    """Distribution of single numbers, with moments and a distribution function.

    Args:
        values: Quantiles in rising order, `[..., Q]`.
        levels: Tuple of Q floats, their levels in rising order.
    """

    name = "QuantileCurve"

    def __init__(self, values, levels):
        self.values = tf.convert_to_tensor(values)
        self.levels = levels
        self.dtype = self.values.dtype
        self.batch_shape = self.values.shape[:-1]

    def __getitem__(self, places):
        return QuantileCurve(self.values[places], self.levels)

    def batch_shape_tensor(self):
        """Shape of the batch, as a tensor."""
        return tf.shape(self.values)[:-1]

    def cdf(self, targets):
        """Probability of a value up to each target."""
        targets = tf.convert_to_tensor(targets, self.dtype)
        gaps = tf.expand_dims(targets, -1) - self.values
        widths, masses = self._widths, self._masses
        inner = tf.clip_by_value(gaps[..., :-1] / widths, 0.0, 1.0)
        lower, upper = self._tails
        below = tf.exp(tf.minimum(gaps[..., 0], 0.0) / lower)
        above = -tf.math.expm1(-tf.maximum(gaps[..., -1], 0.0) / upper)
        return (self.levels[0] * below + tf.reduce_sum(masses * inner, axis=-1)
                + (1.0 - self.levels[-1]) * above)

    def mean(self):
        """Mean of each distribution."""
        masses, means, _ = self._pieces()
        return tf.reduce_sum(masses * means, axis=-1)

    def variance(self):
        """Variance of each distribution."""
        masses, means, variances = self._pieces()
        gaps = means - tf.expand_dims(self.mean(), -1)
        return tf.reduce_sum(masses * (gaps**2 + variances), axis=-1)

    def _pieces(self):
        """Masses, means and variances of both tails and what is between."""
        lower, upper = self._tails
        middles = 0.5 * (self.values[..., 1:] + self.values[..., :-1])
        means = tf.concat([(self.values[..., 0] - lower)[..., None], middles,
                           (self.values[..., -1] + upper)[..., None]], axis=-1)
        variances = tf.concat([lower[..., None]**2, self._widths**2 / 12.0,
                               upper[..., None]**2], axis=-1)
        masses = tf.concat([[self.levels[0]], self._masses, [1.0 - self.levels[-1]]],
                           axis=0)
        return tf.cast(masses, self.dtype), means, variances

    @property
    def _widths(self):
        return tf.maximum(self.values[..., 1:] - self.values[..., :-1], _TINY)

    @property
    def _masses(self):
        levels = tf.constant(self.levels, self.dtype)
        return levels[1:] - levels[:-1]

    @property
    def _tails(self):
        """Scales of both tails: the mass by the density that they meet."""
        densities = self._masses / self._widths
        return (self.levels[0] / densities[..., 0],
                (1.0 - self.levels[-1]) / densities[..., -1])
