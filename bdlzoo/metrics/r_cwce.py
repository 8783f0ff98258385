"""Calibration error times the share of variance left unexplained.

    r_cwce = (1 - r2) cwce

Small where the mean is right and the intervals are honest: a forecast of the
average with honest intervals has no calibration error and is of no use, which
`r2 = 0` says, and one worse than the average pays more than its `cwce`.

Reference: see `CWCE`.
"""

import keras
from keras import ops

from bdlzoo.metrics.coverage_metric import CoverageMetric


@keras.saving.register_keras_serializable(package="bdlzoo")
class RCWCE(CoverageMetric):
    """Weighs `CWCE` by the variance that the mean leaves; sums in float64.

    Args:
        num_outputs: Integer, targets of a row; `r2` is the average of theirs.
        name: Name of the metric.
        **kwargs: See `keras.metrics.Metric`.
    """

    def __init__(self, num_outputs=1, name="r_cwce", **kwargs):
        super().__init__(name=name, **kwargs)
        self.num_outputs = num_outputs
        for part in ("targets", "squares", "errors"):
            setattr(self, part, self.add_variable(
                (num_outputs,), "zeros", dtype="float64", name=part))

    def update_state(self, y_true, y_pred, sample_weight=None):
        super().update_state(y_true, y_pred, sample_weight)
        targets, prediction, weights = self.read(y_true, y_pred, sample_weight)
        targets = ops.cast(targets, "float64")
        errors = targets - ops.cast(prediction.mean, "float64")
        for part, values in ((self.targets, targets), (self.squares, targets**2),
                             (self.errors, errors**2)):
            part.assign_add(ops.tensordot(weights, values, axes=1))

    def result(self):
        spread = self.squares - ops.divide_no_nan(self.targets**2, self.weight)
        unexplained = ops.mean(ops.divide_no_nan(self.errors, spread))
        return ops.cast(unexplained * self.calibration_error(), self.dtype)

    def get_config(self):
        return {**super().get_config(), "num_outputs": self.num_outputs}
