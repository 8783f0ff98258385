"""Failure prediction: does low confidence find the errors?

    max_probability   log(p_k* / (1 - p_k*)),  k* the predicted class      "MCP"
    entropy           minus the entropy of the averaged probabilities
    tcp               log(p_y / (1 - p_y)),    y the true class            oracle
    tcpr              p_y / p_k*                                           oracle

A confidence is minus an uncertainty of `bdlzoo.evaluation.uncertainty_scores`, so high
where the model is sure. The oracles read the labels: what a learnt confidence
aims at, and a bound on it. Log odds rank as the probabilities do, without
becoming equal near 1. With C classes `p_y > 1/2` says that the prediction is right
and `p_y < 1/C` that it is wrong; in between are both, so that `tcp` is not
perfect. `tcpr` is 1 where the prediction is right, and below elsewhere: it is.

The entropy is the score of MC dropout too, where the prediction has many draws:
probabilities are averaged, where the code of ConfidNet averages logits.

Reference: Hendrycks and Gimpel, A Baseline for Detecting Misclassified and
Out-of-Distribution Examples, ICLR 2017; Corbiere et al., Addressing Failure
Prediction by Learning Model Confidence, NeurIPS 2019.
"""

import numpy as np

from bdlzoo.evaluation.uncertainty_scores import uncertainty_scores
from bdlzoo.metrics import ranking


def failure_prediction(errors, confidence):
    """How well a confidence ranks right predictions before wrong ones.

    Args:
        errors: Booleans, or zeros and ones, of shape `[N]`: wrong predictions.
        confidence: Floats of shape `[N]`.

    Returns:
        Dict of floats, shares and not percent: `auroc` and `ap_success` (right
        rows are the positives), `ap_errors`, `fpr95` (share of errors accepted
        with 95 % of the right rows), `aurc` and `e_aurc`.

    Raises:
        ValueError: Where all rows are right, or all wrong.
    """
    errors = np.asarray(errors)
    return {"auroc": ranking.auroc(confidence, 1 - errors),
            "ap_errors": ranking.ap_errors(errors, confidence),
            "ap_success": ranking.ap_success(errors, confidence),
            "fpr95": ranking.fpr_at_tpr(confidence, 1 - errors, 0.95),
            "aurc": ranking.aurc(errors, confidence),
            "e_aurc": ranking.e_aurc(errors, confidence)}


def failure_scores(prediction, labels=None, names=None):
    """Confidences that a prediction has by itself, and the oracles.

    Args:
        prediction: `ClassPrediction` of the inputs, rows in one axis.
        labels: True classes, `[N]`, for the oracles; `None` leaves them out.
        names: Which uncertainties to turn into confidences, see
            `uncertainty_scores`; `None` takes all that need no logits.

    Returns:
        Dict from a name to floats `[N]`, high where the prediction is trusted.
    """
    scores = {name: -score for name, score in
              uncertainty_scores(prediction, names=names).items()}
    if labels is not None:
        scores.update(tcp=tcp(prediction, labels), tcpr=tcpr(prediction, labels))
    return scores


def tcp(prediction, labels):
    """Log odds of the true class, `[N]`: ranks as its probability does.

    At most the log odds of the predicted class, and equal where it is right.
    """
    log_probs, true = _split(prediction, labels)
    others = np.where(true, -np.inf, log_probs)
    # In sorted order, as in the log odds of the largest: then they are equal.
    others = np.logaddexp.reduce(np.sort(others, axis=-1), axis=-1)
    return log_probs[true] - others


def tcpr(prediction, labels):
    """Probability of the true class over that of the predicted one, `[N]`."""
    log_probs, true = _split(prediction, labels)
    return np.exp(log_probs[true] - log_probs.max(axis=-1))


def _split(prediction, labels):
    """Log probabilities `[N, C]`, and which of them are of the true class."""
    log_probs = np.asarray(prediction.log_mean, "float64")
    labels = np.asarray(labels).reshape(-1)
    if log_probs.ndim != 2 or len(labels) != len(log_probs):
        raise ValueError(
            "Expected one label a row of class probabilities. Received: "
            f"labels of {labels.shape}, probabilities of {log_probs.shape}")
    num_classes = log_probs.shape[-1]
    if ((labels < 0) | (labels >= num_classes)).any():
        raise ValueError(f"Expected classes from 0 to {num_classes - 1}. "
                         f"Received: labels={np.unique(labels)}")
    return log_probs, np.arange(num_classes) == labels[:, None]
