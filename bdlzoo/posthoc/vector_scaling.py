"""Vector scaling: a scale and a shift for each class, fitted on held-out data.

    scale, shift = argmin of - mean log softmax(scale * log p + shift)[y]

`p` is the averaged predictive. The problem is convex. With all scales `1 / T` and all
shifts 0 it is a temperature. Unlike a temperature it can change the most probable
class, and correct a model that favours some classes.

Reference: Guo et al., On Calibration of Modern Neural Networks, ICML 2017.
"""

import numpy as np
from absl import logging

# Beyond these values the classes are separable, and the likelihood has no maximum.
_FAR, _PERFECT = 1e2, 1e-6


def fit_vector_scaling(prediction, targets):
    """Finds the scales and shifts of least negative log-likelihood.

    Args:
        prediction: `ClassPrediction` for held-out inputs, in float64.
        targets: Observed class indices `[B]` of these inputs.

    Returns:
        Pair of arrays `[C]`, scales and shifts; ones and zeros, with a warning, if no
        finite values are best.

    Example:

        scale, shift = bdlzoo.posthoc.fit_vector_scaling(prediction, y)
    """
    from scipy import optimize, special

    log_probs = np.asarray(prediction.log_plain)
    targets = np.asarray(targets).astype(int).ravel()
    num_rows, num_classes = log_probs.shape
    absent = np.setdiff1d(np.arange(num_classes), targets)
    if absent.size:
        raise ValueError(
            "Expected every class among the calibration rows, because each class has "
            "its own shift: give more rows, or use method=\"temperature\". "
            f"Received: no row of classes {absent[:5].tolist()}")
    observed = np.eye(num_classes)[targets]

    def nll(parameters):
        scale, shift = parameters.reshape(2, -1)
        logits = log_probs * scale + shift
        log_norm = special.logsumexp(logits, axis=-1, keepdims=True)
        gap = (np.exp(logits - log_norm) - observed) / num_rows
        gradient = np.concatenate([(gap * log_probs).sum(0), gap.sum(0)])
        return (log_norm - logits)[observed == 1].mean(), gradient

    start = np.repeat([1.0, 0.0], num_classes)
    found = optimize.minimize(
        nll, start, jac=True, method="L-BFGS-B",
        options={"maxiter": 5000, "maxfun": 10000, "ftol": 1e-15, "gtol": 1e-9})
    if not np.abs(found.x).max() < _FAR or found.fun < _PERFECT:
        logging.warning(
            "No finite scales are best on these data (is every prediction "
            "right?): they stay at 1. Calibrate on more data.")
        return tuple(start.reshape(2, -1))
    return tuple(found.x.reshape(2, -1))
