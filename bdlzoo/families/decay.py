"""Divergence from a normal prior, as decay of means and of log-scales.

    KL / N  with prior N(anchor, 1 / (decay N)),  posterior N(mean, exp(2 psi)):

    d / d mean = decay * (mean - anchor)
    d / d psi  = decay * exp(2 psi) - 1 / N

The first is the weight decay of the network's training. The second raises scales up to
that of the prior if the data do not determine a weight. A weight without a scale
has the first term only. For a member of a mixture of K both are divided by K: the mean
over members bounds the divergence of the mixture.
"""

import typing

import keras
import tensorflow as tf

from bdlzoo.core import keras_internals
from bdlzoo.layers.mixture import Mixture
from bdlzoo.layers.variational import Variational


class Decayed(typing.NamedTuple):
    """A weight of a network, the mean of a posterior, with its log-scale."""

    mean: keras.Variable
    log_scale: keras.Variable | None  # `None` for a weight that is a point.
    share: float  # Factor of its divergence in that of the network.

    def pull(self, decay, num_data, anchor):
        """Gradients of its part of `KL / N`, of the mean and of the log-scale.

        Args:
            decay: Scalar.
            num_data: Scalar, N.
            anchor: Mean of the prior, a tensor, or 0.
        """
        mean = self.share * decay * (tf.convert_to_tensor(self.mean) - anchor)
        if self.log_scale is None:
            return mean, None
        variance = tf.exp(2.0 * tf.convert_to_tensor(self.log_scale))
        return mean, self.share * (decay * variance - 1.0 / num_data)

    def divergence(self, precision, anchor):
        """Its part of the KL in nats; of a point, up to a constant.

        Args:
            precision: Scalar, one over the variance of the prior.
            anchor: Mean of the prior, a tensor, or 0.
        """
        distance = tf.convert_to_tensor(self.mean) - anchor
        nats = precision * tf.nn.l2_loss(distance)
        if self.log_scale is not None:
            # Log-scale relative to the prior; terms cancel for each weight.
            psi = tf.convert_to_tensor(self.log_scale) + 0.5 * tf.math.log(precision)
            nats += tf.reduce_sum(0.5 * (tf.exp(2.0 * psi) - 1.0) - psi)
        return self.share * nats


def weights(network):
    """Trainable weights of an adapted network, as a list of `Decayed`."""
    scales, shares = {}, {}
    for layer in keras_internals.layers(network):
        if isinstance(layer, Variational):
            scales[id(layer.kernel)] = layer.kernel_rho
            if layer.variational_bias:
                scales[id(layer.bias)] = layer.bias_rho
        elif isinstance(layer, Mixture):
            scales.update(zip(map(id, layer.members), layer.log_scales))
            shares.update(dict.fromkeys(map(id, layer.members),
                                        1.0 / layer.num_members))
    log_scales = {id(scale) for scale in scales.values()}
    return [Decayed(v, scales.get(id(v)), shares.get(id(v), 1.0))
            for v in network.trainable_variables if id(v) not in log_scales]
