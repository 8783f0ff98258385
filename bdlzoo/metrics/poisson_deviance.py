"""Poisson deviance: the error of predicted means of counts.

    deviance = mean over rows and outputs of 2 (y log(y / mean) - y + mean)

It is twice the log-likelihood that a Poisson distribution with the predicted mean is
short of one with the mean `y`: 0 for perfect means, and an error of 1 weighs less if
the mean is large. A count of 0 has the term `2 mean`. A negative target is no count:
the value is NaN then.
"""

import keras
from keras import ops

from bdlzoo.metrics.regression_metric import RegressionMetric


@keras.saving.register_keras_serializable(package="bdlzoo")
class PoissonDeviance(RegressionMetric):
    """Averages the Poisson deviance of predicted means.

    Args:
        name: String, name of the metric in logs.
        **kwargs: Other arguments of `keras.metrics.Metric`, such as `dtype`.

    Example:

        model.compile(optimizer="adam", metrics=[PoissonDeviance()])
    """

    def __init__(self, name="deviance", **kwargs):
        super().__init__(name=name, **kwargs)

    def score(self, targets, prediction):
        mean = ops.maximum(ops.convert_to_tensor(prediction.mean), 1e-30)
        ratio = ops.maximum(targets, 1e-30) / mean  # 0 log 0 is 0.
        deviance = 2.0 * (targets * ops.log(ratio) - targets + mean)
        return ops.where(targets < 0, float("nan"), deviance)
