"""Distribution of the tanh of a normal variable, on (-1, 1).

    a = tanh(u),    u ~ N(mean, scale**2)
    log p(a) = log N(u) - log(1 - tanh(u)**2)
    entropy  = log(2 pi e scale**2) / 2 + E log(1 - tanh(u)**2)    at most log 2

Densities are computed from `u` and not from `a`, because near the edges `a` is rounded,
and `log(1 - a**2)` is never below -17 in single precision. TFP's bijector has the
stable form `2 (log 2 - u - softplus(-2 u))`.
"""

import typing

import tensorflow as tf
from tensorflow_probability import bijectors as tfb
from tensorflow_probability import distributions as tfd

from bdlzoo.core import noise


class TanhNormal(typing.NamedTuple):
    """Distribution of independent numbers in (-1, 1).

    Args:
        mean: Tensor, means of `u`.
        scale: Tensor like `mean`, standard deviations of `u`.
    """

    mean: tf.Tensor
    scale: tf.Tensor

    def moved(self, normals):
        """Makes `u` from standard normal numbers `[..., *mean.shape]`."""
        return self.mean + self.scale * normals

    def draws(self, num_samples, key):
        """Draws numbers in (-1, 1), `[S, *mean.shape]`."""
        shape = tf.concat([[num_samples], tf.shape(self.mean)], axis=0)
        return tf.tanh(self.moved(noise.normal(shape, key)))

    def log_prob(self, u):
        """Log density of `tanh(u)`, for each number."""
        return tfd.Normal(self.mean, self.scale).log_prob(u) - _log_slope(u)

    def entropy(self, u):
        """Unbiased estimate of the entropy from draws `u`, for each number.

        The entropy of the normal is exact; only the term of tanh is estimated.
        """
        return tfd.Normal(self.mean, self.scale).entropy() + _log_slope(u)


def _log_slope(u):
    return tfb.Tanh().forward_log_det_jacobian(u)
