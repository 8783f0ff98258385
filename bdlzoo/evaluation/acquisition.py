"""Acquisition functions: scores that say which rows of a pool to label first.

With `p_s` the class probabilities of draw s, `p` their mean and `p_(k)` its k-th
largest entry, a row scores

    random           u                                      uniform in (0, 1)
    entropy          H(p)
    margin           -(p_(1) - p_(2))
    variation_ratio  1 - share of the draws that vote for the most voted class
    bald             mean over s of KL(p_s || p)            mutual information
    mean_std         mean over classes of the std over s of p_s
    power_bald       beta log(bald) + Gumbel noise

and the rows with the highest scores are labelled first. The best rows by `bald` may
be nearly equal to each other; the noise of `power_bald` makes the batch more diverse.
`batch_bald` scores a batch as a whole, so it has no score for a single row.

Reference: Gal, Islam and Ghahramani, Deep Bayesian Active Learning with Image
Data, ICML 2017; Houlsby et al., Bayesian Active Learning for Classification and
Preference Learning, 2011; Kirsch et al., Stochastic Batch Acquisition, TMLR 2023.
"""

import numpy as np

from bdlzoo.core import noise
from bdlzoo.core.class_prediction import ClassPrediction
from bdlzoo.evaluation.batch_bald import batch_bald

_SMALL = 1e-6  # Nats: below it, draws in float32 disagree by rounding alone.


def random(prediction, key):
    """Uniform scores, the baseline."""
    return noise.uniform([prediction.log_mixture.shape[0]], key).numpy()


def entropy(prediction, key=None):
    """Entropy of the mean over draws, in nats."""
    del key
    return prediction.predictive_entropy


def margin(prediction, key=None):
    """Minus the gap between the two most probable classes."""
    del key
    top = np.sort(np.exp(prediction.log_mixture), axis=-1)[..., -2:]
    return top[..., 0] - top[..., 1]


def variation_ratio(prediction, key=None):
    """Share of draws that do not vote for the most voted class."""
    del key
    return prediction.variation_ratio


def bald(prediction, key=None):
    """Mutual information of label and weights: how much the draws disagree.

    For a deterministic model all scores are 0, and the choice is random.
    """
    del key
    # By rounding, a score that should be 0 may be slightly above or below.
    scores = np.asarray(prediction.mutual_information)
    return np.where(scores < _SMALL, 0.0, scores)


def mean_std(prediction, key=None):
    """Standard deviation over draws, averaged over classes."""
    del key
    return prediction.mean_std


def power_bald(prediction, key, beta=1.0):
    """`beta * log(bald)` plus Gumbel noise: rows are drawn, not ranked.

    The first row is drawn with probability proportional to `bald**beta`, the next
    one in the same way from the rows that are left.

    Args:
        prediction: `ClassPrediction` of the pool.
        key: Key of the noise.
        beta: Float; 0 draws uniformly, a large value ranks as `bald` does.
    """
    # A row on which all draws agree has a small probability, but not zero.
    scores = np.maximum(bald(prediction), _SMALL)
    return beta * np.log(scores) + noise.gumbel(scores.shape, key).numpy()


SCORES = {function.__name__: function for function in (
    random, entropy, margin, variation_ratio, bald, mean_std, power_bald)}
NAMES = (*SCORES, "batch_bald")


def choose(name, prediction, count, key):
    """Chooses rows of a pool by an acquisition function.

    Ties are broken by the key, not by the order of rows. So the choice is random for
    a deterministic model with `bald`, `power_bald`, `batch_bald` or `mean_std`,
    because its scores are all zero.

    Args:
        name: One of `NAMES`.
        prediction: `ClassPrediction` of the pool. `batch_bald` needs coherent draws,
            where a draw is one network for all rows; models of the zoo have them.
        count: Integer, number of rows to choose.
        key: Key of the noise, and of the order of ties.

    Returns:
        Integers `[count]`, indices of rows of the pool, the best row first.
    """
    check(name)
    if not isinstance(prediction, ClassPrediction) or (
            len(prediction.log_mixture.shape) != 2):
        raise ValueError("Expected a prediction of one class a row, from draws "
                         f"[S, N, C]. Received: {type(prediction).__name__}")
    rows = prediction.log_mixture.shape[0]
    if not 1 <= count <= rows:
        raise ValueError("Expected to choose at least one row, and at most all "
                         f"{rows} rows. Received: count={count}")
    if np.isnan(prediction.log_mixture).any():
        raise ValueError(
            "Expected a model whose predictions are numbers: train it with a "
            "lower learning rate. Received: NaN among the probabilities")
    if name == "batch_bald":
        return batch_bald(prediction.log_probs, count, key)[0]
    scores = SCORES[name](prediction, noise.fold_in(key, 0))
    return top(scores, count, noise.fold_in(key, 1))


def check(name):
    """Raises an error if there is no acquisition function of that name."""
    if name not in NAMES:
        raise ValueError(f"Expected one of {', '.join(NAMES)}. Received: "
                         f"acquisition={name!r}")


def top(scores, count, key):
    """Indices of the highest scores, ties in an order drawn by the key."""
    # Differences below the precision of float32 count as ties.
    scores = np.round(np.asarray(scores, "float64") / _SMALL)
    order = noise.permutation(len(scores), key).numpy()
    return order[np.argsort(-scores[order], kind="stable")[:count]]
