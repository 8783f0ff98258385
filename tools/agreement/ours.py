"""The figures of the zoo."""

import numpy as np
import scipy.special
import tensorflow as tf

from bdlzoo import metrics
from bdlzoo.attacks import FGSM
from bdlzoo.core import conformal
from bdlzoo.core.class_prediction import ClassPrediction
from bdlzoo.evaluation.robustness import robustness
from bdlzoo.posthoc import fit_conformal_sets
from tools.agreement import inputs

_HALF = 1000


def figures(given):
    """Dictionary of arrays, name to figure.

    Args:
        given: Dictionary of `inputs.made`.
    """
    log_probs = scipy.special.log_softmax(given["logits"], axis=-1)
    probs, labels = np.exp(log_probs), given["labels"]
    pairs = np.stack([given["means"], given["scales"]**2], axis=-1)[..., None, :]
    points = pairs * [1.0, 0.0]
    draws = ClassPrediction(np.log(given["draws"]))
    found = {
        "NLL": _value(metrics.NegativeLogLikelihood(), labels, probs),
        "Brier score": _value(metrics.BrierScore(), labels, probs),
        "ECE, 15 bins": _value(metrics.ExpectedCalibrationError(), labels, probs),
        "MCE, 15 bins": _value(metrics.MaximumCalibrationError(), labels, probs),
        "AUROC": metrics.auroc(given["scores"], given["positives"]),
        "average precision": metrics.aupr_positive(given["scores"], given["positives"]),
        "R2, weighted, around 1e8": _value(metrics.R2(), given["far"],
                                           given["far_mean"], given["weights"]),
        "R2, constant and missed": _value(metrics.R2(), np.zeros(9), np.ones(9)),
        "R2, one row": _value(metrics.R2(), np.zeros(1), np.ones(1)),
        "Poisson deviance": _value(metrics.PoissonDeviance(), given["counts"], np.stack(
            [given["rates"], np.ones(500)], axis=-1)[:, None]),
        "CRPS of a Gaussian": _value(metrics.CRPS(), given["targets"], pairs[0]),
        "CRPS of a mixture": _value(metrics.CRPS(), given["targets"], pairs),
        "CRPS of points": _value(metrics.CRPS(), given["targets"], points),
        "BALD of each row": draws.mutual_information,
        "entropy of each row": draws.predictive_entropy,
    }
    return {**found, **_conformal(log_probs, labels, given["uniforms"]),
            **_attacked(given)}


def _value(metric, *rows):
    metric.update_state(*rows)
    return np.array(metric.result())


def _conformal(log_probs, labels, uniforms):
    found = {}
    for method, name in (("lac", "LAC"), ("aps", "APS"), ("raps", "RAPS")):
        rule = fit_conformal_sets(ClassPrediction(log_probs[None, :_HALF]),
                                  labels[:_HALF], uniforms[:_HALF], method, 0.9)
        surprise, extra = conformal.class_scores(log_probs, uniforms, rule)
        scores = 1.0 + np.array(extra) - np.exp(-np.array(surprise))
        found[f"{name} scores of the labels"] = scores[np.arange(len(labels)), labels]
        found[f"{name} sets"] = np.array(conformal.in_set(
            log_probs[_HALF:], uniforms[_HALF:], rule))
    return found


def _attacked(given):
    network = inputs.layers()
    network.set_weights([given[f"weight_{i}"] for i in range(6)])
    x, y, epsilon = given["x"], given["y"], float(given["epsilon"])
    sharp = inputs.layers()
    sharp.set_weights([given[f"weight_{i}"] * (1000.0 if i > 3 else 1.0)
                       for i in range(6)])
    return {
        "FGSM, the images": given["sure"] * FGSM(epsilon)(network, tf.constant(x), y),
        "accuracy under the default attacks": np.array(robustness(
            network, x, y, epsilon=epsilon, batch_size=397).accuracy()["a_rob"]),
        "the same, logits times 1,000": np.array(robustness(
            sharp, x, y, epsilon=epsilon, batch_size=397).accuracy()["a_rob"])}
