"""Continuous ranked probability score.

    crps = integral over t of (F(t) - 1[y <= t])^2

F is the predictive distribution function. The score is proper, has the units of the
targets, and is the absolute error if the predictive is a single point.

Reference: Gneiting and Raftery, Strictly Proper Scoring Rules, Prediction, and
Estimation, JASA 2007.
"""

import keras

from bdlzoo.metrics.regression_metric import RegressionMetric


@keras.saving.register_keras_serializable(package="bdlzoo")
class CRPS(RegressionMetric):
    """Averages the continuous ranked probability score.

    Args:
        name: String, name of the metric in logs.
        **kwargs: Other arguments of `keras.metrics.Metric`, such as `dtype`.

    Example:

        model.compile(optimizer="adam", metrics=[CRPS()])
    """

    def __init__(self, name="crps", **kwargs):
        super().__init__(name=name, **kwargs)

    def score(self, targets, prediction):
        return prediction.crps(targets)
