"""Confidence-weighted calibration error of regression, in per cent.

    cwce = 100 sum_j w_j |p_j - phat_j|,   w_j = p_j / sum_j p_j

over 99 levels p_j. phat_j is the share of targets in the interval mean +- z_j std of
the Gaussian with the moments of the mixture. The value is 0 if intervals of every
level contain that share of the targets, 66.33 if intervals contain no target, and
33.67 if all intervals contain all targets.

The weights are a reconstruction: a published value of 52.15 is above 50, the largest
value that equal weights can give.

Reference: SDE-HNN, a heteroscedastic network driven by a stochastic differential
equation, whose table reports it.
"""

import keras
from keras import ops

from bdlzoo.metrics.coverage_metric import CoverageMetric


@keras.saving.register_keras_serializable(package="bdlzoo")
class CWCE(CoverageMetric):
    """Averages the gap between confidence and coverage, weighted by confidence.

    Args:
        name: String, name of the metric in logs.
        **kwargs: Other arguments of `keras.metrics.Metric`, such as `dtype`.

    Example:

        model.compile(optimizer="adam", metrics=[CWCE()])
    """

    def __init__(self, name="cwce", **kwargs):
        super().__init__(name=name, **kwargs)

    def result(self):
        return ops.cast(self.calibration_error(), self.dtype)
