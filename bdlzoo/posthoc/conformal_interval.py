"""Width of conformal intervals, fitted on held-out data.

    score    = |y - mean| / std                        of the averaged predictive
    interval = mean +- threshold * std

with the threshold of `bdlzoo.core.conformal`: the interval holds the value with
probability `level` whatever the noise is, and stays wide where the model knows
that it knows little.

Reference: Lei et al., Distribution-Free Predictive Inference for Regression,
JASA 2018.
"""

import numpy as np

from bdlzoo.core import conformal


def fit_conformal_interval(prediction, targets, level=0.9):
    """Finds the half width, in standard deviations, that covers `level`.

    Args:
        prediction: Calibrated `RegressionPrediction` for held-out inputs.
        targets: What was observed there.
        level: Float, the coverage asked for, of each output by itself.

    Returns:
        Array `[D]`.
    """
    mean = np.asarray(prediction.mean)
    targets = np.asarray(targets).reshape(mean.shape)
    return conformal.threshold(
        np.abs(targets - mean) / np.asarray(prediction.std), level)
