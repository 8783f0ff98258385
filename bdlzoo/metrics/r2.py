"""Coefficient of determination.

    r2 = 1 - sum of (y - mean)**2 / sum of (y - average of y)**2

Keras' `R2Score` adds up squares in float32, which is silently wrong for targets far
from zero. Here the sums are in float64, about the average of the targets.
"""

import keras
from keras import ops

from bdlzoo.metrics.target_spread import TargetSpread


@keras.saving.register_keras_serializable(package="bdlzoo")
class R2(keras.metrics.Metric):
    """Computes the share of the variance of the targets that the mean explains.

    Several outputs have one value, the average over outputs, as in scikit-learn. Equal
    targets give 1 if they are met and 0 if they are missed. For one row the value is
    undefined: it is NaN, as in scikit-learn, but without a warning. Rows of weight 0
    are not counted. Without rows it is 0.

    Args:
        num_outputs: Integer, number of targets in each row.
        name: String, name of the metric in logs.
        **kwargs: Other arguments of `keras.metrics.Metric`, such as `dtype`.

    Example:

        model.compile(optimizer="adam", metrics=[R2()])
    """

    def __init__(self, num_outputs=1, name="r2", **kwargs):
        super().__init__(name=name, **kwargs)
        self.num_outputs = num_outputs
        self.sums = TargetSpread(self, num_outputs)

    def update_state(self, y_true, y_pred, sample_weight=None):
        y_pred = ops.reshape(ops.cast(y_pred, "float64"), (-1, self.num_outputs))
        y_true = ops.reshape(ops.cast(y_true, "float64"), ops.shape(y_pred))
        weight = ops.ones_like(y_true[:, 0]) if sample_weight is None else (
            ops.reshape(ops.cast(sample_weight, "float64"), (-1,)))
        # Weights of rows are those of their positions.
        repeats = ops.shape(y_true)[0] // ops.maximum(ops.shape(weight)[0], 1)
        weight = ops.repeat(weight, repeats, axis=0)
        self.sums.add(y_true, y_pred, weight)

    def result(self):
        return ops.cast(1.0 - ops.mean(self.sums.unexplained()), self.dtype)

    def get_config(self):
        return {**super().get_config(), "num_outputs": self.num_outputs}
