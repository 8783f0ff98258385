"""Coverage: the share of targets in the central predictive interval.

    coverage = mean over rows and outputs of 1[low <= y <= high]

A calibrated predictive covers the share `level` of the targets. Read it together with
the width: an infinite interval covers everything.
"""

import keras
from keras import ops

from bdlzoo.metrics.interval_metric import IntervalMetric


@keras.saving.register_keras_serializable(package="bdlzoo")
class IntervalCoverage(IntervalMetric):
    """Counts the targets inside the central interval.

    Args:
        level: Float in (0, 1), probability of the interval.
        name: String, name of the metric in logs.
        **kwargs: Other arguments of `keras.metrics.Metric`, such as `dtype`.

    Example:

        model.compile(optimizer="adam", metrics=[IntervalCoverage(0.9)])
    """

    def __init__(self, level=0.95, name="coverage", **kwargs):
        super().__init__(level, name=name, **kwargs)

    def interval_score(self, targets, low, high):
        return ops.logical_and(low <= targets, targets <= high)
