"""Negative log-likelihood of the predictive distribution.

    nll = -mean over rows of log p(y | x)

In nats. Proper: no other prediction than the truth has a lower mean.
"""

import keras
import numpy as np
from keras import ops

from bdlzoo.metrics.classification_metric import ClassificationMetric

# An exact zero costs 87 nats and not infinity, which would spoil the mean of
# the whole stream. The smallest normal number, not a round epsilon such as
# 1e-7: confident mistakes must not look alike. Denormals are zero on devices
# that flush them, so nothing smaller would do.
_TINY = float(np.finfo("float32").tiny)


@keras.saving.register_keras_serializable(package="bdlzoo")
class NegativeLogLikelihood(ClassificationMetric, keras.metrics.Mean):
    """Averages `-log p(y | x)`, of class probabilities or of a prediction.

    Where `y_pred` has a method `log_prob(y_true)`, as the predictions of the
    zoo have, that density is taken; else it holds class probabilities, see
    `ClassificationMetric`.

    Args:
        name: Name of the metric.
        **kwargs: See `keras.metrics.Metric`.
    """

    reads_prediction = True

    def __init__(self, name="nll", **kwargs):
        super().__init__(name=name, **kwargs)

    def update_state(self, y_true, y_pred, sample_weight=None):
        if hasattr(y_pred, "log_prob"):
            log_probs = y_pred.log_prob(y_true)  # [B]
            weights = self.row_weights(sample_weight, log_probs)
        else:
            labels, probabilities, weights = self.read(
                y_true, y_pred, sample_weight)
            targets = ops.one_hot(
                labels, probabilities.shape[-1], dtype=self.dtype)  # [B, C]
            likelihood = ops.sum(targets * probabilities, axis=-1)  # [B]
            log_probs = ops.log(ops.maximum(likelihood, _TINY))
        super().update_state(-log_probs, sample_weight=weights)
