"""Expected width of prediction intervals, over all confidence levels.

    epiw = mean over levels p_j, rows and outputs of 2 z_j std

with p_j = 0.01, ..., 0.99, and z_j the quantile (1 + p_j) / 2 of the standard
normal: 1.580 times the mean std. As in `CWCE`, the interval is that of the Gaussian
with the moments of the mixture, so that one factor serves all levels. The value has the
units of the targets. If the targets were standardised, multiply it by their std for raw
units; a run reports that as `epiw_raw`.

Reference: SDE-HNN, a heteroscedastic network driven by a stochastic differential
equation, whose table reports it.
"""

import statistics

import keras

from bdlzoo.metrics.regression_metric import RegressionMetric

_QUANTILE = statistics.NormalDist().inv_cdf
_WIDTH = statistics.fmean(
    2.0 * _QUANTILE((1.0 + level / 100.0) / 2.0) for level in range(1, 100))


@keras.saving.register_keras_serializable(package="bdlzoo")
class EPIW(RegressionMetric):
    """Averages the width of the intervals of all levels.

    Args:
        name: String, name of the metric in logs.
        **kwargs: Other arguments of `keras.metrics.Metric`, such as `dtype`.

    Example:

        model.compile(optimizer="adam", metrics=[EPIW()])
    """

    def __init__(self, name="epiw", **kwargs):
        super().__init__(name=name, **kwargs)

    def score(self, targets, prediction):
        return _WIDTH * prediction.std
