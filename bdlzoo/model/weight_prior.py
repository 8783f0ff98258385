"""Gaussian prior on the weights of a network that is not variational.

    energy = sum over weights of share * w**2 / (2 scale**2)

Minus the log density, up to a constant. `share` is 1, and for a kernel behind
dropout of rate p it is 1 - p: the weight that the KL of dropout's posterior
gives it in the parameterisation of Gal and Ghahramani, without the 1 / (1 - p)
of Keras' dropout, and what their released code uses beside that dropout.
"""

import tensorflow as tf

from bdlzoo.model import calls, keras_internals


def energy(weights, scale, shares=None):
    """Minus log prior of weights, in nats, up to a constant.

    Args:
        weights: List of variables.
        scale: Float, standard deviation of the prior.
        shares: List of floats, one a weight; `None` is 1 for all.
    """
    if scale <= 0:
        raise ValueError("Expected a positive standard deviation. Received: "
                         f"prior_scale={scale}")
    shares = shares or [1.0] * len(weights)
    return tf.add_n([share * tf.reduce_sum(tf.square(w)) for w, share
                     in zip(weights, shares, strict=True)]) / (2.0 * scale**2)


def kept_shares(network):
    """Share of each trainable weight that dropout before its layer keeps.

    Known for functional and Sequential networks; 1 in a subclassed one.
    """
    shares = {}
    functional = keras_internals.graph(network)
    if functional is not None:
        _, network_calls, _ = calls.walk(functional)
        rates = {}
        for call in network_calls:
            before = max([rates.get(key, 0.0) for key in call.inputs.values()],
                         default=0.0)
            kernels = [w for w in getattr(call.layer, "trainable_variables", [])
                       if len(w.shape) > 1]
            shares.update((id(w), 1.0 - before) for w in kernels)
            # Reshapes and activations hand on what dropout did.
            after = call.layer.rate if call.random and hasattr(
                call.layer, "rate") else 0.0 if kernels else before
            rates.update(dict.fromkeys(call.outputs, after))
    return [shares.get(id(w), 1.0) for w in network.trainable_variables]
