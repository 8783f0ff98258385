"""What the metrics of a predictive distribution over numbers share."""

import keras
from keras import ops

from bdlzoo.core.prediction import RegressionPrediction


class RegressionMetric(keras.metrics.Mean):
    """Averages a score of each target over rows and outputs.

    A subclass writes `score`. Targets `y_true` are `[B]` or `[B, D]`. The
    predictive `y_pred` is a prediction of the zoo, or a tensor of pairs (mean,
    variance): `[B, D, 2]` of a Gaussian, `[S, B, D, 2]` of a mixture of S with
    equal weights. `sample_weight` is a scalar, `[B]` or `[B, 1]`.
    """

    reads_prediction = True

    def score(self, targets, prediction):
        """Score `[B, D]` of targets `[B, D]` under a prediction."""
        raise NotImplementedError

    def update_state(self, y_true, y_pred, sample_weight=None):
        prediction = (y_pred if hasattr(y_pred, "interval")
                      else self._mixture(y_pred))
        mean = ops.convert_to_tensor(prediction.mean)  # [B, D]
        # Without this, [B] against [B, 1] would silently become [B, B].
        targets = ops.reshape(
            ops.convert_to_tensor(y_true, dtype=mean.dtype), ops.shape(mean))
        scores = ops.mean(ops.cast(
            self.score(targets, prediction), self.dtype), axis=-1)  # [B]
        if sample_weight is not None:
            weights = ops.convert_to_tensor(sample_weight, dtype=self.dtype)
            sample_weight = ops.broadcast_to(
                ops.reshape(weights, (-1,)), ops.shape(scores))
        super().update_state(scores, sample_weight=sample_weight)

    def _mixture(self, y_pred):
        pairs = ops.convert_to_tensor(y_pred, dtype=self.dtype)
        if len(pairs.shape) not in (3, 4) or pairs.shape[-1] != 2:
            raise ValueError(
                "Expected a prediction, or pairs (mean, variance) of shape "
                "[B, D, 2] or [S, B, D, 2]. Received: "
                f"y_pred.shape={pairs.shape}. Stack means and variances on a "
                "new last axis.")
        if len(pairs.shape) == 3:
            pairs = ops.expand_dims(pairs, axis=0)
        return RegressionPrediction(pairs[..., 0], pairs[..., 1])  # [S, B, D]
