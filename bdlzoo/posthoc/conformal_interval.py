"""Width of conformal intervals, fitted on held-out data.

    score    = |y - mean| / std                        of the averaged predictive
    interval = mean +- threshold * std

The threshold is that of `bdlzoo.core.conformal`. The interval holds the value with
probability `level`, whatever the distribution of the noise. It is wide where the model
is uncertain. Predictions that are no mixtures of Gaussians have scores of their own,
from quantiles: see `bdlzoo.core.distribution_prediction`.

Reference: Lei et al., Distribution-Free Predictive Inference for Regression,
JASA 2018.
"""

import numpy as np

from bdlzoo.core import conformal


def fit_conformal_interval(prediction, targets, level=0.9):
    """Finds the half width, in standard deviations, that covers `level`.

    Args:
        prediction: Calibrated `RegressionPrediction` for held-out inputs.
        targets: Observed values `[B]` or `[B, D]` of these inputs.
        level: Float, the coverage of the interval of each output.

    Returns:
        Array `[D]`, a threshold for each output.
    """
    if hasattr(prediction, "conformal_scores"):  # Not of mean and deviation.
        scores = np.asarray(prediction.conformal_scores(targets))
        return conformal.threshold(scores.reshape(-1, scores.shape[-1]), level)
    mean = np.asarray(prediction.mean)
    targets = np.asarray(targets).reshape(mean.shape)
    return conformal.threshold(
        np.abs(targets - mean) / np.asarray(prediction.std), level)
