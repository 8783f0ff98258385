"""Disagreement of two draws on inputs that should look uncertain, and its hinge.

    information = H((p_1 + p_2) / 2) - (H(p_1) + H(p_2)) / 2        at most log 2
    distance    = mean over features of (f_1 - f_2)**2
    hinge       = mean over inputs of max(margin - disagreement, 0)

The hinge is 0 if the draws differ by `margin`. The released code has 0.75 for the
information, which is above its maximum, so that its hinge is never 0.

Reference: Deng et al., BayesAdapter: Being Bayesian, Inexpensively and Reliably,
via Bayesian Fine-tuning, ACML 2022; Deng et al., LiBRe, CVPR 2021 (features).
"""

import tensorflow as tf


def information(prediction):
    """Mutual information of the draws, `[B]`; with a gradient in eager mode too.

    Args:
        prediction: `ClassPrediction`, of two draws or more.
    """
    gap = prediction.log_probs - prediction.log_mixture
    return tf.reduce_mean(tf.reduce_sum(
        tf.exp(prediction.log_probs) * gap, axis=-1), axis=0)


def distance(first, second):
    """Mean squared difference of two draws of features `[B, ...]`, `[B]`."""
    return tf.reduce_mean(tf.square(first - second),
                          axis=list(range(1, len(first.shape))))


def hinge(disagreement, margin):
    """Mean distance to the margin, a scalar."""
    return tf.reduce_mean(tf.nn.relu(margin - disagreement))
