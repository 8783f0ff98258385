"""Mean class probabilities of Gaussian logits, in closed form.

    probit    softmax(mean / sqrt(1 + pi / 8 variance)), class by class
    bridge    Dirichlet with a_k = (1 - 2 / C + exp(m_k) / C**2 sum of exp(-m_l)) / v_k

The bridge is the Dirichlet whose density in the logits has its mode and curvature at
those of the Gaussian. A softmax does not see a constant that is added to all logits. So
m and v are the moments of the Gaussian on the plane of logits whose sum is zero, which
need the covariance of each logit with the sum of all.

Reference: MacKay, The Evidence Framework Applied to Classification Networks, Neural
Computation 1992 (probit); Hobbhahn, Kristiadi and Hennig, Fast Predictive Uncertainty
for Classification with Bayesian Deep Networks, UAI 2022 (bridge).
"""

import math

import tensorflow as tf


def log_probit(mean, variance):
    """Log class probabilities `[B, C]` by the probit approximation.

    Args:
        mean: Means of the logits, `[B, C]`.
        variance: Variances of the logits, `[B, C]`.
    """
    return tf.nn.log_softmax(_shrunk(mean, variance))


def log_binary_probit(mean, variance):
    """Log probabilities `[B, 2]` of two classes, from one logit of class 1.

    Args:
        mean: Mean of the logit, `[B, 1]`.
        variance: Variance of the logit, `[B, 1]`.
    """
    logit = _shrunk(mean, variance)
    return tf.math.log_sigmoid(tf.concat([-logit, logit], axis=-1))


def log_bridge(mean, variance, with_sum):
    """Log class probabilities `[B, C]` by the Laplace bridge.

    Args:
        mean: Means of the logits, `[B, C]`.
        variance: Variances of the logits, `[B, C]`.
        with_sum: Covariances of each logit with the sum of all, `[B, C]`.
    """
    classes = mean.shape[-1]
    total = tf.maximum(tf.reduce_sum(with_sum, axis=-1, keepdims=True), _TINY)
    mean -= with_sum * tf.reduce_sum(mean, axis=-1, keepdims=True) / total
    variance = tf.maximum(variance - with_sum**2 / total, _TINY)
    # exp(m_k) times a sum of exp(-m_l) may overflow, its logarithm does not.
    ratio = mean + tf.reduce_logsumexp(-mean, axis=-1, keepdims=True) - (
        2.0 * math.log(classes))
    least = math.log1p(-2.0 / classes) if classes > 2 else -math.inf
    log_counts = tf.reduce_logsumexp(
        tf.stack([tf.fill(tf.shape(ratio), tf.constant(least, ratio.dtype)), ratio]),
        axis=0) - tf.math.log(variance)
    return tf.nn.log_softmax(log_counts)


_TINY = 1e-30


def _shrunk(mean, variance):
    return mean / tf.sqrt(1.0 + math.pi / 8.0 * variance)
