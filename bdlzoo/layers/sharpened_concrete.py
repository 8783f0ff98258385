"""Sharpened Concrete distribution, on unnormalised logits.

    v        = (theta + beta g) / tau,    g ~ Gumbel(0, 1),    alpha = softmax(v)
    log q(v) = log (K - 1)! + (K - 1) log(tau / beta)
               + sum_k s_k - K logsumexp(s),    s = (theta - tau v) / beta

alpha is a Concrete variable with logits theta / beta and temperature tau / beta. With
beta < 1 there is less noise, and theta keeps its meaning. The density is that of
log(alpha), which is v plus a constant that does not change it. It is computed from v,
because alpha may underflow to 0 where v does not.

Reference: Deng et al., Measuring Uncertainty through Bayesian Learning of Deep
Neural Network Structure, 2019; Maddison, Mnih and Teh, The Concrete Distribution,
ICLR 2017.
"""

import math

import tensorflow as tf

from bdlzoo.core import noise


def draw(theta, tau, beta, key):
    """One draw of unnormalised logits v.

    Args:
        theta: Tensor `[..., K]`, logits.
        tau: Float or scalar above 0; a small one makes alpha nearly one-hot.
        beta: Float or scalar above 0; a small one makes all draws alike.
        key: Noise key, made by `bdlzoo.core.noise`.

    Returns:
        Tensor `[..., K]`.
    """
    return (theta + beta * noise.gumbel(tuple(theta.shape), key)) / tau


def log_density(v, theta, tau, beta):
    """Log density of log(alpha), in nats.

    Args:
        v: Tensor `[..., K]`, unnormalised logits.
        theta: Tensor `[..., K]`, logits of the distribution.
        tau: Float or scalar above 0, temperature of the draw.
        beta: Float or scalar above 0, scale of its noise.

    Returns:
        Tensor `[...]`.
    """
    choices = v.shape[-1]
    scores = (theta - tau * v) / beta
    constant = math.lgamma(choices) + (choices - 1) * (
        tf.math.log(tau) - tf.math.log(beta))
    return constant + tf.reduce_sum(scores, axis=-1) - choices * (
        tf.reduce_logsumexp(scores, axis=-1))
