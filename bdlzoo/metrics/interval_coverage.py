"""Share of the targets that fall into the central predictive interval.

    coverage = mean over rows and outputs of 1[low <= y <= high]

A calibrated predictive covers `level` of them. Read it beside the width: an
interval without end covers everything.
"""

import keras
from keras import ops

from bdlzoo.metrics.regression_metric import RegressionMetric


@keras.saving.register_keras_serializable(package="bdlzoo")
class IntervalCoverage(RegressionMetric):
    """Counts the targets inside the central interval.

    Args:
        level: Float in (0, 1), probability of the interval.
        name: Name of the metric.
        **kwargs: See `keras.metrics.Metric`.
    """

    def __init__(self, level=0.95, name="coverage", **kwargs):
        super().__init__(name=name, **kwargs)
        self.level = level

    def score(self, targets, prediction):
        low, high = prediction.interval(self.level)
        return ops.logical_and(low <= targets, targets <= high)

    def get_config(self):
        return {**super().get_config(), "level": self.level}
