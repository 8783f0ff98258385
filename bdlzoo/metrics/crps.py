"""Continuous ranked probability score.

    crps = integral over t of (F(t) - 1[y <= t])^2

with F the predictive distribution function. Proper, in the units of the
targets, and the absolute error where the predictive is a single point.

Reference: Gneiting and Raftery, Strictly Proper Scoring Rules, Prediction, and
Estimation, JASA 2007.
"""

import keras

from bdlzoo.metrics.regression_metric import RegressionMetric


@keras.saving.register_keras_serializable(package="bdlzoo")
class CRPS(RegressionMetric):
    """Averages the continuous ranked probability score.

    Args:
        name: Name of the metric.
        **kwargs: See `keras.metrics.Metric`.
    """

    def __init__(self, name="crps", **kwargs):
        super().__init__(name=name, **kwargs)

    def score(self, targets, prediction):
        return prediction.crps(targets)
