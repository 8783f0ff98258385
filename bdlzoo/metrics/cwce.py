"""Confidence-weighted calibration error of regression, in per cent.

    cwce = 100 sum_j w_j |p_j - phat_j|,   w_j = p_j / sum_j p_j

over 99 levels p_j, with phat_j the share of targets in the interval mean +- z_j
std of the moment-matched Gaussian (see `coverage_metric`). 0 where intervals
hold what they say, 66.33 where none holds anything, 33.67 where all hold all.

The weights are a reconstruction: a published 52.15 lies above 50, the most that
equal weights can give.

Reference: SDE-HNN, a heteroscedastic network driven by a stochastic differential
equation, whose table reports it.
"""

import keras
from keras import ops

from bdlzoo.metrics.coverage_metric import CoverageMetric


@keras.saving.register_keras_serializable(package="bdlzoo")
class CWCE(CoverageMetric):
    """Weighs the gap between confidence and coverage by confidence.

    Args:
        name: Name of the metric.
        **kwargs: See `keras.metrics.Metric`.
    """

    def __init__(self, name="cwce", **kwargs):
        super().__init__(name=name, **kwargs)

    def result(self):
        return ops.cast(self.calibration_error(), self.dtype)
