"""Base class of metrics of calibration over all confidence levels.

    p_j      = 0.01, 0.02, ..., 0.99
    phat_j   = mean over rows and outputs of 1[|y - mean| <= z_j std]
             = mean of 1[depth <= p_j],   depth = erf(|y - mean| / (std sqrt(2)))

The intervals are those of the Gaussian with the mean and the variance of the mixture.
They have a closed form: `depth` is the level of the interval that ends at the target,
and one pass counts it for all 99 levels. The central intervals of the mixture itself
would need two quantiles for each level, found by bisection.
"""

import numpy as np
from keras import ops

from bdlzoo.metrics.regression_metric import RegressionMetric


class CoverageMetric(RegressionMetric):
    """Counts the targets inside the Gaussian interval of each level.

    Args:
        **kwargs: Other arguments of `keras.metrics.Metric`, such as `dtype`.
    """

    levels = np.arange(1, 100) / 100.0

    def __init__(self, **kwargs):
        super().__init__(shape=self.levels.shape, **kwargs)

    def score(self, targets, prediction):
        # In float64, because an interval that ends at a target contains it.
        mean, std = (ops.cast(moment, "float64")
                     for moment in (prediction.mean, prediction.std))
        error = ops.absolute(ops.cast(targets, "float64") - mean)
        # An interval of width 0 contains its mean only.
        depth = ops.erf(error / ops.maximum(std, 1e-300) / np.sqrt(2.0))
        return ops.expand_dims(depth, axis=-1) <= self.levels  # [B, D, levels]

    def calibration_error(self):
        """`100 sum_j w_j |p_j - phat_j|`, `w_j = p_j / sum p`; 0 without rows."""
        gaps = ops.absolute(self.levels - self.average())
        error = 100.0 * ops.sum(self.levels / self.levels.sum() * gaps)
        return error * ops.cast(self.weight > 0, "float64")
