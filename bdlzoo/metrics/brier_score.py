"""Brier score.

    brier = mean over rows of sum over classes of (p_c - 1[y = c])^2

This is the sum over classes, from 0 to 2. Two classes have two columns as well, so the
value is twice that of the binary convention `(p_1 - y)^2`.

Reference: Brier, Verification of Forecasts Expressed in Terms of Probability,
Monthly Weather Review 1950.
"""

import keras
from keras import ops

from bdlzoo.metrics.classification_metric import ClassificationMetric


@keras.saving.register_keras_serializable(package="bdlzoo")
class BrierScore(ClassificationMetric, keras.metrics.Mean):
    """Averages the squared distance of probabilities from one-hot labels.

    Args:
        name: String, name of the metric in logs.
        **kwargs: Other arguments of `keras.metrics.Metric`, such as `dtype`.

    Example:

        model.compile(optimizer="adam", metrics=[BrierScore()])
    """

    def __init__(self, name="brier", **kwargs):
        super().__init__(name=name, **kwargs)

    def update_state(self, y_true, y_pred, sample_weight=None):
        targets, probabilities, weights = self.read_shares(
            y_true, y_pred, sample_weight)  # [N, C]
        distance = ops.sum(ops.square(probabilities - targets), axis=-1)
        super().update_state(distance, sample_weight=weights)
