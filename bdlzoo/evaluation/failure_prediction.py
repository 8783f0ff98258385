"""Failure prediction: tests whether wrong predictions have low confidence.

    max_probability   log(p_k* / (1 - p_k*)),  k* the predicted class      "MCP"
    entropy           minus the entropy of the averaged probabilities
    tcp               log(p_y / (1 - p_y)),    y the true class            oracle
    tcpr              p_y / p_k*                                           oracle

A confidence is minus an uncertainty of `bdlzoo.evaluation.uncertainty_scores`. It is
high if the model is sure. The oracles read the labels; they are the aim of a learnt
confidence, and a bound on it. Log odds rank as the probabilities do, but do not become
equal near 1. With C classes, a prediction with `p_y > 1/2` is right, one with
`p_y < 1/C` is wrong, and in between it may be either, so that `tcp` does not rank
perfectly. `tcpr` does: it is 1 for a right prediction and below 1 for a wrong one.

For MC dropout the entropy is that of the mean over draws. The code of ConfidNet
averages logits; here probabilities are averaged.

Reference: Hendrycks and Gimpel, A Baseline for Detecting Misclassified and
Out-of-Distribution Examples, ICLR 2017; Corbiere et al., Addressing Failure
Prediction by Learning Model Confidence, NeurIPS 2019.
"""

import numpy as np

from bdlzoo.evaluation.uncertainty_scores import uncertainty_scores
from bdlzoo.metrics import ranking


def failure_prediction(errors, confidence):
    """Measures how well a confidence ranks right predictions above wrong ones.

    Args:
        errors: Booleans, or zeros and ones, `[N]`: which predictions are wrong.
        confidence: Floats `[N]`, high for predictions that should be right.

    Returns:
        Dict of floats, as shares and not in per cent: `auroc` and `ap_success` (right
        rows are the positives), `ap_errors`, `fpr95` (share of errors that are
        accepted if 95 % of the right rows are), `aurc` and `e_aurc`.

    Raises:
        ValueError: If all rows are right, or all are wrong.
    """
    errors = np.asarray(errors)
    return {"auroc": ranking.auroc(confidence, 1 - errors),
            "ap_errors": ranking.ap_errors(errors, confidence),
            "ap_success": ranking.ap_success(errors, confidence),
            "fpr95": ranking.fpr_at_tpr(confidence, 1 - errors, 0.95),
            "aurc": ranking.aurc(errors, confidence),
            "e_aurc": ranking.e_aurc(errors, confidence)}


def failure_scores(prediction, labels=None, names=None):
    """Confidences of a prediction, and the oracles.

    Args:
        prediction: `ClassPrediction` of the inputs, with one axis of rows.
        labels: True classes `[N]` for the oracles; `None` leaves the oracles out.
        names: Names of uncertainties in `uncertainty_scores.NAMES` to turn into
            confidences; `None` takes all that need no logits.

    Returns:
        Dict from a name to floats `[N]`, high if the model is sure.

    Example:

        scores = bdlzoo.evaluation.failure_scores(prediction, y)
    """
    scores = {name: -score for name, score in
              uncertainty_scores(prediction, names=names).items()}
    if labels is not None:
        scores.update(tcp=tcp(prediction, labels), tcpr=tcpr(prediction, labels))
    return scores


def tcp(prediction, labels):
    """Log odds of the true class, `[N]`, which rank as its probability does.

    They are at most the log odds of the predicted class, and equal to them if the
    prediction is right.

    Args:
        prediction: `ClassPrediction` of the inputs, with one axis of rows.
        labels: True classes `[N]`.

    Example:

        bdlzoo.evaluation.tcp(prediction, y)
    """
    log_probs, true = _split(prediction, labels)
    others = np.where(true, -np.inf, log_probs)
    # Sorted as in `log_odds`, so that rounding does not make equal values differ.
    others = np.logaddexp.reduce(np.sort(others, axis=-1), axis=-1)
    return log_probs[true] - others


def tcpr(prediction, labels):
    """Probability of the true class over that of the predicted one, `[N]`.

    Args:
        prediction: `ClassPrediction` of the inputs, with one axis of rows.
        labels: True classes `[N]`.

    Example:

        bdlzoo.evaluation.tcpr(prediction, y)
    """
    log_probs, true = _split(prediction, labels)
    return np.exp(log_probs[true] - log_probs.max(axis=-1))


def _split(prediction, labels):
    """Log probabilities `[N, C]`, and booleans that mark the true classes."""
    log_probs = np.asarray(prediction.log_mean, "float64")
    labels = np.asarray(labels).reshape(-1)
    if log_probs.ndim != 2 or len(labels) != len(log_probs):
        raise ValueError(
            "Expected one label for each row of class probabilities. Received: "
            f"labels of shape {labels.shape}, probabilities of shape "
            f"{log_probs.shape}")
    num_classes = log_probs.shape[-1]
    if ((labels < 0) | (labels >= num_classes)).any():
        raise ValueError(f"Expected classes from 0 to {num_classes - 1}. "
                         f"Received: labels={np.unique(labels)}")
    return log_probs, np.arange(num_classes) == labels[:, None]
