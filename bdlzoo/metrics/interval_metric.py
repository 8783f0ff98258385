"""Base class of metrics of a central predictive interval."""

from bdlzoo.metrics.regression_metric import RegressionMetric


class IntervalMetric(RegressionMetric):
    """Averages a score of the central interval.

    Args:
        level: Float in (0, 1), probability of the interval.
        **kwargs: Other arguments of `keras.metrics.Metric`, such as `dtype`.
    """

    def __init__(self, level, **kwargs):
        super().__init__(**kwargs)
        self.level = level

    def interval_score(self, targets, low, high):
        """Score `[B, D]` of the interval from `low` to `high`."""
        raise NotImplementedError

    def score(self, targets, prediction):
        return self.interval_score(targets, *prediction.interval(self.level))

    def get_config(self):
        return {**super().get_config(), "level": self.level}
