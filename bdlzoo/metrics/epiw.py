"""Expected width of prediction intervals, over all confidence levels.

    epiw = mean over levels p_j, rows and outputs of 2 z_j std

with p_j = 0.01, ..., 0.99, and z_j the quantile (1 + p_j) / 2 of the standard
normal: 1.580 times the mean std. As in `CWCE`, the interval is that of the
Gaussian with the moments of the mixture, so that one factor does for all
levels. In the units of the targets: where these were standardised, times their
std it is in raw units, which is `epiw_raw` of a run.

Reference: see `CWCE`.
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
        name: Name of the metric.
        **kwargs: See `keras.metrics.Metric`.
    """

    def __init__(self, name="epiw", **kwargs):
        super().__init__(name=name, **kwargs)

    def score(self, targets, prediction):
        return _WIDTH * prediction.std
