"""Curvature of the loss of a row in its outputs: a diagonal minus an outer product.

    A = diag(d) - s s^T = sum over k of r_k r_k^T,      r_k = sqrt(d_k) (e_k - s)

    categorical    d = s = p                    p the class probabilities
    bernoulli      d = p (1 - p),     s = 0
    gaussian       d = 1 / noise**2,  s = 0

It does not depend on the target: the Hessian of the loss in the outputs is the Fisher
information here, so that it has no negative eigenvalue.
"""

import tensorflow as tf

from bdlzoo.likelihoods import Bernoulli, Categorical


def is_coupled(likelihood):
    """Whether the outputs of a row bend the loss together: `s` is not 0."""
    return isinstance(likelihood, Categorical)


def terms(likelihood, outputs):
    """The vectors d and s of the rows, each `[B, C]`.

    Args:
        likelihood: `Categorical`, `Bernoulli` or `Gaussian`.
        outputs: Outputs of the network, `[B, C]`.
    """
    if isinstance(likelihood, Categorical):
        probs = tf.nn.softmax(outputs)
        return probs, probs
    if isinstance(likelihood, Bernoulli):
        probs = tf.sigmoid(outputs)
        return probs * (1.0 - probs), tf.zeros_like(probs)
    precision = tf.exp(-2.0 * tf.cast(likelihood.log_noise, outputs.dtype))
    return tf.broadcast_to(precision, tf.shape(outputs)), tf.zeros_like(outputs)


def roots(d, s):
    """The vectors r_k of the rows, `[C, B, C]`, the first axis over k.

    Args:
        d: Tensor `[B, C]`.
        s: Tensor `[B, C]`.
    """
    eye = tf.eye(tf.shape(d)[-1], dtype=d.dtype)[:, None]  # [C, 1, C]
    return tf.sqrt(tf.transpose(d))[..., None] * (eye - s)
