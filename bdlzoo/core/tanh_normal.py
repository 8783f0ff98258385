"""A normal variable, squeezed into (-1, 1) by tanh.

    a = tanh(u),    u ~ N(mean, scale**2)
    log p(a) = log N(u) - log(1 - tanh(u)**2)
    entropy  = log(2 pi e scale**2) / 2 + E log(1 - tanh(u)**2)    at most log 2

Densities are read at `u`: at `a` a draw near the edge has lost its digits, and
`log(1 - a**2)` ends at -17 in single precision. TFP's bijector has the stable form,
`2 (log 2 - u - softplus(-2 u))`.
"""

import typing

import tensorflow as tf
from tensorflow_probability import bijectors as tfb
from tensorflow_probability import distributions as tfd

from bdlzoo.core import noise


class TanhNormal(typing.NamedTuple):
    """A law of independent numbers in (-1, 1).

    Args:
        mean: Tensor, of `u`.
        scale: Tensor like `mean`, positive.
    """

    mean: tf.Tensor
    scale: tf.Tensor

    def moved(self, normals):
        """`u` of standard normals `[..., *mean.shape]`."""
        return self.mean + self.scale * normals

    def draws(self, num_samples, key):
        """Numbers in (-1, 1), `[S, *mean.shape]`."""
        shape = tf.concat([[num_samples], tf.shape(self.mean)], axis=0)
        return tf.tanh(self.moved(noise.normal(shape, key)))

    def log_prob(self, u):
        """Log density of `tanh(u)`, number by number."""
        return tfd.Normal(self.mean, self.scale).log_prob(u) - _log_slope(u)

    def entropy(self, u):
        """What draws `u` say of the entropy: unbiased, number by number.

        The part of the normal is its mean; only that of tanh is estimated.
        """
        return tfd.Normal(self.mean, self.scale).entropy() + _log_slope(u)


def _log_slope(u):
    return tfb.Tanh().forward_log_det_jacobian(u)
