"""Width of the central predictive interval.

    width = mean over rows and outputs of high - low

The value has the units of the targets. It says how narrow predictions are, not whether
they are right.
"""

import keras

from bdlzoo.metrics.interval_metric import IntervalMetric


@keras.saving.register_keras_serializable(package="bdlzoo")
class IntervalWidth(IntervalMetric):
    """Averages the width of the central interval.

    Args:
        level: Float in (0, 1), probability of the interval.
        name: String, name of the metric in logs.
        **kwargs: Other arguments of `keras.metrics.Metric`, such as `dtype`.

    Example:

        model.compile(optimizer="adam", metrics=[IntervalWidth(0.9)])
    """

    def __init__(self, level=0.95, name="width", **kwargs):
        super().__init__(level, name=name, **kwargs)

    def interval_score(self, targets, low, high):
        return high - low
