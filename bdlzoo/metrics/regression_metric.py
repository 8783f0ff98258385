"""Base class of metrics of a predictive distribution over numbers."""

import keras
from keras import ops

from bdlzoo.core.regression_prediction import RegressionPrediction


class RegressionMetric(keras.metrics.Metric):
    """Averages a score of each target over rows and outputs.

    A subclass writes `score`. Targets `y_true` are `[B]` or `[B, ..., D]`. The
    predictive `y_pred` is a prediction of the zoo, or a tensor of pairs (mean,
    variance): `[B, D, 2]` for a Gaussian, `[S, B, D, 2]` for a mixture of S Gaussians
    with equal weights. `sample_weight` is a scalar, or has the first axes of the
    targets. Positions of a prediction become rows.

    Args:
        shape: Tuple of integers, shape of the score of one target.
        **kwargs: Other arguments of `keras.metrics.Metric`, such as `dtype`.
    """

    reads_prediction = True

    def __init__(self, shape=(), **kwargs):
        super().__init__(**kwargs)
        self.total = self.add_variable(
            shape, "zeros", dtype="float64", name="total")
        self.weight = self.add_variable(
            (), "zeros", dtype="float64", name="weight")

    def score(self, targets, prediction):
        """Score `[B, D, ...]` of targets `[B, D]` under a prediction."""
        raise NotImplementedError

    def update_state(self, y_true, y_pred, sample_weight=None):
        targets, prediction, weights = self.read(y_true, y_pred, sample_weight)
        scores = ops.mean(ops.cast(
            self.score(targets, prediction), "float64"), axis=1)  # [B, ...]
        self.total.assign_add(ops.tensordot(weights, scores, axes=1))
        self.weight.assign_add(ops.sum(weights))

    def average(self):
        """Mean of the scores so far in float64; 0 if there are none."""
        return ops.divide_no_nan(self.total, self.weight)

    def result(self):
        return ops.cast(self.average(), self.dtype)

    def read(self, y_true, y_pred, sample_weight):
        """Returns targets `[N, D]`, the prediction of rows and weights `[N]`."""
        prediction = (y_pred if hasattr(y_pred, "interval")
                      else self._mixture(y_pred))
        places = ops.shape(prediction.mean)[:-1]
        weights = ops.convert_to_tensor(
            1.0 if sample_weight is None else sample_weight, dtype="float64")
        while len(weights.shape) > len(places) and weights.shape[-1] == 1:
            weights = ops.squeeze(weights, axis=-1)
        while weights.shape and len(weights.shape) < len(places):
            weights = ops.expand_dims(weights, axis=-1)
        weights = ops.reshape(ops.broadcast_to(weights, places), (-1,))
        prediction = prediction.rows() if len(places) > 1 else prediction
        mean = ops.convert_to_tensor(prediction.mean)  # [N, D]
        # Without this, [B] against [B, 1] would silently become [B, B].
        targets = ops.reshape(
            ops.convert_to_tensor(y_true, dtype=mean.dtype), ops.shape(mean))
        return targets, prediction, weights

    def _mixture(self, y_pred):
        pairs = ops.convert_to_tensor(y_pred)
        if keras.backend.standardize_dtype(pairs.dtype) != "float64":
            pairs = ops.cast(pairs, self.dtype)
        if len(pairs.shape) not in (3, 4) or pairs.shape[-1] != 2:
            raise ValueError(
                "Expected a prediction, or pairs (mean, variance) of shape "
                "[B, D, 2] or [S, B, D, 2]. Received: "
                f"y_pred.shape={pairs.shape}. Stack means and variances on a "
                "new last axis.")
        if len(pairs.shape) == 3:
            pairs = ops.expand_dims(pairs, axis=0)
        return RegressionPrediction(pairs[..., 0], pairs[..., 1])  # [S, B, D]
