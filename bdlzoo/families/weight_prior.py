"""Gaussian prior on the weights of a network that is not variational.

    energy = sum over weights of share * w**2 / (2 scale**2)

Minus the log density, up to a constant. `share` is 1 for most weights. For a kernel
behind dropout of a fixed rate p it is 1 - p: its weight in the KL of dropout's
posterior in the parameterisation of Gal and Ghahramani, without the 1 / (1 - p) of
Keras' dropout; their released code uses it together with that dropout. The dropout
inside of a recurrent cell counts in the same way. Behind a learnt rate the share is
1 / (1 - p), the second moment of the scaled mask, so that the KL is right as a function
of p too. It is 0 for the weights of layers that have their own KL.
"""

import tensorflow as tf

from bdlzoo.core import keras_internals
from bdlzoo.surgery import calls, conversion, recurrent_noise
from bdlzoo.surgery.stacked_network import StackedNetwork


def energy(weights, scale, shares=None):
    """Minus log prior of weights, in nats, up to a constant.

    Args:
        weights: List of variables.
        scale: Float, standard deviation of the prior.
        shares: List of floats or scalars, one for each weight; `None` is 1 for all.
    """
    if scale <= 0:
        raise ValueError("Expected a positive standard deviation. Received: "
                         f"prior_scale={scale}")
    shares = shares or [1.0] * len(weights)
    # One pass over the weights, and one more for the gradient.
    return tf.add_n([share * tf.nn.l2_loss(tf.convert_to_tensor(w)) for w, share
                     in zip(weights, shares, strict=True)]) / scale**2


def kept_shares(network):
    """Share of each trainable weight, by the dropout before its layer.

    Known for functional and Sequential networks; in a subclassed one it is 1
    behind fixed rates, and learnt ones are refused.

    Returns:
        List of floats, and of scalars that hold a learnt rate as it is now.
    """
    if isinstance(network, StackedNetwork):
        if learnt_layers(network.plain):  # Each copy has its own rate.
            raise ValueError(
                "Expected dropout of fixed rates if networks are trained side by "
                "side; with learnt rates, train them one by one. Received: layer="
                f"{learnt_layers(network.plain)[0].name}")
        shares = dict(zip(map(id, network.plain.trainable_variables),
                          kept_shares(network.plain)))
        return [shares[id(weight)] for weight in network.plain_weights()]
    shares, seen = {}, []
    functional = keras_internals.graph(network)
    if functional is not None:
        _, network_calls, _ = calls.walk(functional)
        dropped = {}
        for call in network_calls:
            before = [layer for key in call.inputs.values()
                      for layer in dropped.get(key, [])]
            kernels = [w for w in getattr(call.layer, "trainable_variables", [])
                       if len(w.shape) > 1]
            drops = call.random and hasattr(call.layer, "rate") and (
                conversion.is_stochastic(call.layer))
            if kernels and drops:  # Dropout of rows of the layer's own table.
                before = [*before, call.layer]
            if kernels and before:
                seen += before
                shares.update(dict.fromkeys(map(id, kernels), _share(before)))
            # Reshapes and activations do not change the effect of dropout.
            after = [] if kernels else [call.layer] if drops else before
            dropped.update(dict.fromkeys(call.outputs, after))
    for layer in learnt_layers(network):
        if not any(layer is other for other in seen):
            raise ValueError(
                "Expected a kernel behind each dropout layer of learnt rate, in a "
                "functional or Sequential network: without its prior the rate "
                f"runs to 1/2. Received: layer={layer.name}")
    for layer in keras_internals.layers(network):
        for weight, share in recurrent_noise.kept_shares(layer).items():
            shares[weight] = share * shares.get(weight, 1.0)
    shares.update((id(w), 0.0) for layer in keras_internals.layers(network)
                  if hasattr(layer, "kl") for w in layer.trainable_variables)
    return [shares.get(id(w), 1.0) for w in network.trainable_variables]


def learnt_layers(network):
    """Dropout layers of a network whose rate is learnt."""
    return [layer for layer in conversion.stochastic_layers(network)
            if callable(getattr(layer, "rate", None))]


def _share(layers):
    """Share of a kernel behind dropout; of several branches, the strongest."""
    learnt = [layer.rate() for layer in layers if callable(layer.rate)]
    if learnt:
        return 1.0 / (1.0 - tf.reduce_max(learnt))
    return 1.0 - max(layer.rate for layer in layers)
