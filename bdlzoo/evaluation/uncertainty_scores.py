r"""Uncertainty scores of inputs, each with a name.

With `s` the outputs of a draw (logits) and `p` the calibrated mean over draws:

    max_probability    logsumexp over k != k* of log p_k, minus log p_{k*}
    entropy            H(p of the draws)
    expected_entropy   mean over draws of H
    mutual_information their difference
    variation_ratio    share of draws that vote against the majority
    total_variance     sum over classes of the variance over draws
    energy             minus the mean over draws of logsumexp(s)
    max_logit          minus the largest mean logit

For all scores, a higher value means that the model is less sure. The maximum
probability is given as log odds. They rank as `1 - max p` does, but in float32 this is
exactly 0 for many inputs, and equal scores cannot be ranked. The negative entropy and
the divergence from the uniform distribution differ by a constant, so they rank alike.

Energy and max logit need logits, because a softmax removes a constant from them.

Reference: Hendrycks and Gimpel, A Baseline for Detecting Misclassified and
Out-of-Distribution Examples, ICLR 2017; Liu et al., Energy-based
Out-of-distribution Detection, NeurIPS 2020; Hendrycks et al., Scaling
Out-of-Distribution Detection for Real-World Settings, ICML 2022.
"""

import numpy as np
import tensorflow as tf

from bdlzoo.likelihoods import Categorical

OF_LOGITS = ("energy", "max_logit")
OF_DRAWS = ("expected_entropy", "mutual_information", "variation_ratio",
            "total_variance")
_MEASURES = {"entropy": "predictive_entropy"}
NAMES = ("max_probability", "entropy", *OF_DRAWS, *OF_LOGITS)


def judge(model, x, num_samples=None, seed=0):
    """Predicts inputs, and returns the logits that some scores need.

    Args:
        model: `PredictiveModel` of classes.
        x: Inputs `[B, ...]`.
        num_samples: Integer, number of draws; `None` takes that of the model.
        seed: Integer, seed of the draws.

    Returns:
        `ClassPrediction`, and the logits of the draws `[S, B, C]`, or `None` if the
        outputs of the network are not logits of classes.

    Example:

        prediction, logits = bdlzoo.evaluation.judge(model, x)
    """
    draws = model.sample_outputs(x, num_samples, seed)
    prediction = model.calibration.correct(
        model.refined(model.likelihood.prediction(draws), model.as_inputs(x)))
    likelihood = model.likelihood
    logits = isinstance(likelihood, Categorical) and likelihood.from_logits
    return prediction, draws if logits else None


def uncertainty_scores(prediction, logits=None, names=None):
    """Computes uncertainty scores of inputs.

    Args:
        prediction: `ClassPrediction` of the inputs.
        logits: Raw outputs of the draws, `[S, B, C]`, for `energy` and `max_logit`;
            `None` if there are none.
        names: List of names among `NAMES`. `None` takes all that apply: a single draw
            has no scores of disagreement.

    Returns:
        Dictionary from a name to floats `[B]`, high if the model is unsure.
    """
    if names is None:
        alone = prediction.num_draws == 1
        names = [n for n in NAMES if not (n in OF_LOGITS and logits is None)
                 and not (n in OF_DRAWS and alone)]
    unknown = sorted(set(names) - set(NAMES))
    if unknown:
        raise ValueError(f"Expected scores among {NAMES}. Received: {unknown}")
    return {name: _score(name, prediction, logits) for name in names}


def log_odds(log_probs):
    """Minus the log odds of the most probable class, exact near probability 1.

    Args:
        log_probs: Log probabilities `[..., C]`.

    Returns:
        Float64 array `[...]`: `log((1 - p) / p)` for `p` the largest.
    """
    ordered = np.sort(np.asarray(log_probs, "float64"), axis=-1)
    return np.logaddexp.reduce(ordered[..., :-1], axis=-1) - ordered[..., -1]


def _score(name, prediction, logits):
    if name == "max_probability":
        return log_odds(prediction.log_mean)
    if name not in OF_LOGITS:
        return np.asarray(getattr(prediction, _MEASURES.get(name, name)))
    if logits is None:
        raise ValueError(
            f"Expected logits for the score '{name}': remove the last activation of "
            "the network if it returns probabilities. Received: logits=None")
    if name == "energy":
        return -tf.reduce_mean(tf.reduce_logsumexp(logits, -1), 0).numpy()
    return -tf.reduce_max(tf.reduce_mean(logits, 0), -1).numpy()
