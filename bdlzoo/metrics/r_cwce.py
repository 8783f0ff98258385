"""Calibration error times the share of variance left unexplained.

    r_cwce = (1 - r2) cwce

The value is small if the mean is accurate and the intervals are calibrated. A model
that always predicts the average may be calibrated but is useless: its factor is 1. A
model worse than the average has a factor above 1. If all targets are equal and missed,
the factor is 1. For one row the value is NaN, as that of `R2`.

Reference: SDE-HNN, a heteroscedastic network driven by a stochastic differential
equation, whose table reports it.
"""

import keras
from keras import ops

from bdlzoo.metrics.coverage_metric import CoverageMetric
from bdlzoo.metrics.target_spread import TargetSpread


@keras.saving.register_keras_serializable(package="bdlzoo")
class RCWCE(CoverageMetric):
    """Multiplies `CWCE` by the share of variance that the mean does not explain.

    Args:
        num_outputs: Integer, number of targets in each row; `r2` is averaged over them.
        name: String, name of the metric in logs.
        **kwargs: Other arguments of `keras.metrics.Metric`, such as `dtype`.

    Example:

        model.compile(optimizer="adam", metrics=[RCWCE()])
    """

    def __init__(self, num_outputs=1, name="r_cwce", **kwargs):
        super().__init__(name=name, **kwargs)
        self.num_outputs = num_outputs
        self.sums = TargetSpread(self, num_outputs)

    def update_state(self, y_true, y_pred, sample_weight=None):
        super().update_state(y_true, y_pred, sample_weight)
        _, prediction, weights = self.read(y_true, y_pred, sample_weight)
        mean = ops.cast(prediction.mean, "float64")  # [N, D]
        # Not the targets in the precision of the prediction.
        targets = ops.reshape(ops.cast(y_true, "float64"), ops.shape(mean))
        self.sums.add(targets, mean, weights)

    def result(self):
        unexplained = ops.mean(self.sums.unexplained())
        return ops.cast(unexplained * self.calibration_error(), self.dtype)

    def get_config(self):
        return {**super().get_config(), "num_outputs": self.num_outputs}
