"""Negative log-likelihood of the predictive distribution.

    nll = -mean over rows of log p(y | x)

The value is in nats. It is a proper score: the true distribution has the lowest mean.
"""

import keras
import numpy as np
from keras import ops

from bdlzoo.metrics.classification_metric import ClassificationMetric

# A probability of zero costs 87 nats and not infinity, which would be the mean of all
# rows. The bound is the smallest normal number and not an epsilon such as 1e-7, so that
# confident mistakes still differ. Smaller numbers are zero on some devices.
_TINY = float(np.finfo("float32").tiny)


@keras.saving.register_keras_serializable(package="bdlzoo")
class NegativeLogLikelihood(ClassificationMetric, keras.metrics.Mean):
    """Averages `-log p(y | x)`, of class probabilities or of a prediction.

    If `y_pred` has a method `log_prob(y_true)`, as the predictions of the zoo have,
    that density is used. Otherwise it holds class probabilities `[B, ..., C]`, or the
    probability of class 1, `[B]` or `[B, ..., 1]`.

    Args:
        name: String, name of the metric in logs.
        **kwargs: Other arguments of `keras.metrics.Metric`, such as `dtype`.

    Example:

        model.compile(optimizer="adam", metrics=[NegativeLogLikelihood()])
    """

    reads_prediction = True

    def __init__(self, name="nll", **kwargs):
        super().__init__(name=name, **kwargs)

    def update_state(self, y_true, y_pred, sample_weight=None):
        if hasattr(y_pred, "log_prob"):
            log_probs = y_pred.log_prob(y_true)  # [B, ...]
            weights = self.row_weights(sample_weight, log_probs)
            log_probs = ops.reshape(log_probs, (-1,))
        else:
            targets, probabilities, weights = self.read_shares(
                y_true, y_pred, sample_weight)  # [N, C]
            log_probs = ops.sum(
                targets * ops.log(ops.maximum(probabilities, _TINY)), axis=-1)
        super().update_state(-log_probs, sample_weight=weights)
