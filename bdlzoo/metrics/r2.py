"""Coefficient of determination.

    r2 = 1 - sum of (y - mean)**2 / sum of (y - average of y)**2

Keras' `R2Score` adds up squares in float32, which is silently wrong for targets far
from zero. Here the sums are in float64.
"""

import keras
from keras import ops


@keras.saving.register_keras_serializable(package="bdlzoo")
class R2(keras.metrics.Metric):
    """Computes the share of the variance of the targets that the mean explains.

    Several outputs have one value, the average over outputs, as in scikit-learn.

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
        for part in ("total", "squares", "errors"):
            setattr(self, part, self.add_variable(
                (num_outputs,), "zeros", dtype="float64", name=part))
        self.weight = self.add_variable(
            (), "zeros", dtype="float64", name="weight")

    def update_state(self, y_true, y_pred, sample_weight=None):
        y_pred = ops.reshape(ops.cast(y_pred, "float64"), (-1, self.num_outputs))
        y_true = ops.reshape(ops.cast(y_true, "float64"), ops.shape(y_pred))
        weight = ops.ones_like(y_true[:, :1]) if sample_weight is None else (
            ops.reshape(ops.cast(sample_weight, "float64"), (-1, 1)))
        # Weights of rows are those of their positions.
        weight = ops.repeat(weight, ops.shape(y_true)[0] // ops.shape(weight)[0], 0)
        self.weight.assign_add(ops.sum(weight))
        self.total.assign_add(ops.sum(weight * y_true, axis=0))
        self.squares.assign_add(ops.sum(weight * y_true**2, axis=0))
        self.errors.assign_add(ops.sum(weight * (y_true - y_pred)**2, axis=0))

    def result(self):
        count = ops.maximum(self.weight, 1e-12)
        spread = self.squares - self.total**2 / count
        r2 = ops.mean(1.0 - ops.divide_no_nan(self.errors, spread))
        return ops.cast(r2, self.dtype)

    def get_config(self):
        return {**super().get_config(), "num_outputs": self.num_outputs}
