"""Share of the targets that fall into the central predictive interval.

    coverage = mean over rows and outputs of 1[low <= y <= high]

A calibrated predictive covers `level` of them. Read it beside the width: an
interval without end covers everything.
"""

import keras
from keras import ops

from bdlzoo.metrics.interval_metric import IntervalMetric


@keras.saving.register_keras_serializable(package="bdlzoo")
class IntervalCoverage(IntervalMetric):
    """Counts the targets inside the central interval.

    Args:
        level: Float in (0, 1), probability of the interval.
        name: Name of the metric.
        **kwargs: See `keras.metrics.Metric`.
    """

    def __init__(self, level=0.95, name="coverage", **kwargs):
        super().__init__(level, name=name, **kwargs)

    def interval_score(self, targets, low, high):
        return ops.logical_and(low <= targets, targets <= high)
