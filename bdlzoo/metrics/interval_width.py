"""Width of the central predictive interval.

    width = mean over rows and outputs of high - low

In the units of the targets: how sharp the predictive is, right or wrong.
"""

import keras

from bdlzoo.metrics.interval_metric import IntervalMetric


@keras.saving.register_keras_serializable(package="bdlzoo")
class IntervalWidth(IntervalMetric):
    """Averages the width of the central interval.

    Args:
        level: Float in (0, 1), probability of the interval.
        name: Name of the metric.
        **kwargs: See `keras.metrics.Metric`.
    """

    def __init__(self, level=0.95, name="width", **kwargs):
        super().__init__(level, name=name, **kwargs)

    def interval_score(self, targets, low, high):
        return high - low
