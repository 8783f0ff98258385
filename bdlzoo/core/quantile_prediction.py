"""Predictions of numbers from posterior draws of quantiles.

A draw is the distribution through its quantiles (`QuantileCurve`), and the prediction
is the mixture of draws, as in `DistributionPrediction`. Quantiles that cross are put in
order. Networks of quantiles are trained by the pinball loss, which is a log density of
asymmetric Laplace distributions and not that of the curve:

    log_prob = mean over levels q of log(q (1 - q) / scale) - pinball_q / scale
    pinball_q = max(q gap, (q - 1) gap),   gap = y - value_q

The conformal interval widens that of the outermost levels.

Reference: Koenker and Bassett, Regression Quantiles, Econometrica 1978; Chernozhukov
et al., Quantile and Probability Curves Without Crossing, Econometrica 2010; Romano et
al., Conformalized Quantile Regression, NeurIPS 2019.
"""

import tensorflow as tf

from bdlzoo.core.distribution_prediction import DistributionPrediction
from bdlzoo.core.measure import log_mean_of


class QuantilePrediction(DistributionPrediction):
    """Prediction of numbers by the quantiles of draws.

    Args:
        components: `QuantileCurve` with a batch of `[S, B, ..., D]`.
        scale: Scale of the pinball loss, a scalar or `[D]`.
        threshold: Factor of the conformal interval, `[D]`, or `None`.
        source: Pair of a function and of the tensor from which it made the
            components; `None` if no rows are chosen.
    """

    rigid = "quantiles have no density to fit a temperature to"
    has_cdf = True

    def __init__(self, components, scale=1.0, threshold=None, source=None):
        super().__init__(components, None, threshold, source)
        self.scale = scale
        self.hull = (components.levels[0], 0.5, components.levels[-1])

    def like(self, components, temperature, threshold, source):
        del temperature
        return type(self)(components, self.scale, threshold, source)

    def log_prob(self, targets):
        """Log density of the pinball loss, `[B, ...]`."""
        curve = self.components
        return log_mean_of(pinball_log_prob(
            self._like_mean(targets), curve.values, curve.levels, self.scale))

    @property
    def _is_real(self):
        return True


def pinball_log_prob(targets, values, levels, scale):
    """Log density of the pinball loss, summed over outputs.

    Args:
        targets: Tensor `[B, ..., D]`.
        values: Quantiles `[S, B, ..., D, Q]`.
        levels: Tuple of Q floats.
        scale: Scale of the loss, a scalar or `[D]`.

    Returns:
        Tensor `[S, B, ...]`.
    """
    levels = tf.constant(levels, values.dtype)
    scale = tf.expand_dims(tf.cast(scale, values.dtype), -1)
    gaps = (tf.expand_dims(targets, -1) - values) / scale
    pinball = tf.maximum(levels * gaps, (levels - 1.0) * gaps)
    log_norm = tf.math.log(levels * (1.0 - levels) / scale)
    return tf.reduce_sum(tf.reduce_mean(log_norm - pinball, axis=-1), axis=-1)
