"""Adoption of networks: salts for all layers, noise for dropout.

Adoption works in place, also for subclassed networks; outside of a draw scope an
adopted layer behaves as before.
"""

import math
import types

import keras
import tensorflow as tf
from absl import logging
from keras import ops

from bdlzoo.core import keras_internals, noise
from bdlzoo.surgery import recurrent_noise


def adopt(network):
    """Numbers the layers and gives stock dropout the noise of the draw scope.

    Call it again after loading: its settings are not saved.
    """
    refuse_keras_2(network)
    for salt, layer in enumerate(keras_internals.layers(network)):
        layer.noise_salt = salt  # Names change between processes.
        factor = _factor(layer)
        if factor:
            layer.call = types.MethodType(_scoped(type(layer), factor), layer)
        elif _is_alpha(layer):
            layer.call = types.MethodType(_alpha_call, layer)
        else:
            recurrent_noise.adopt(layer)
        if _draws_by_itself(layer):
            logging.warning(
                "Layer %s of type %s makes its own random numbers, which draws do not "
                "reach: at prediction it does what it does in Keras. Use "
                "`keras.layers.Dropout` inside of it instead.", layer.name,
                type(layer).__name__)


def stochastic_layers(network):
    """Layers of a network (itself, if it is one) that draw noise in a scope."""
    return [layer for layer in keras_internals.layers(network)
            if is_stochastic(layer)]


def is_stochastic(layer):
    """Whether a layer itself draws noise in a scope, not one inside of it."""
    return bool(getattr(layer, "stochastic", False) or _factor(layer)
                or _is_alpha(layer) or recurrent_noise.is_random(layer))


def scales_inputs(layer):
    """Whether a layer is dropout of Keras, whose noise is a factor of its inputs."""
    return _factor(layer) is not None


def check_network(network):
    """Raises if a network is no Keras 3 model, or has layers of Keras 2 in it."""
    if not isinstance(network, keras.Model):
        raise ValueError("Expected a Keras 3 model as network. Received: "
                         f"network of type {type(network).__module__}."
                         f"{type(network).__name__}")
    refuse_keras_2(network)


def refuse_keras_2(network):
    """Raises if the network holds a layer of Keras 2, such as those of TFP.

    Keras 3 tracks only some of its weights and none of its losses: the model would
    train without an error, and be wrong.
    """
    for layer in keras_internals.layers(network):
        for name, value in vars(layer).items():
            for part in _parts(value):
                if any(kind.__module__.startswith("tf_keras")
                       for kind in type(part).__mro__):
                    raise ValueError(
                        "Expected layers of Keras 3: `tf_keras` and `tfp.layers` "
                        "are Keras 2, whose weights and losses Keras 3 does not "
                        "track. Use layers of the zoo instead. Received: "
                        f"{layer.name}.{name}={type(part).__name__}")


def _parts(value):
    """Leaves of a value; `tf.nest` would sort keys, which layers do not allow."""
    if isinstance(value, dict):
        value = [*value.values()]
    if isinstance(value, (list, tuple)):
        return [part for inner in value for part in _parts(inner)]
    return [value]


def refuse_probabilities(network):
    """Raises if a network ends in softmax or sigmoid, but logits are expected.

    A softmax of a softmax trains without an error, to a wrong model.
    """
    functional = keras_internals.graph(network)
    if functional is None:
        return
    *_, last = keras_internals.nodes(functional)
    if keras_internals.graph(last.operation) is not None:
        refuse_probabilities(last.operation)
    squashing = {keras.activations.softmax, keras.activations.sigmoid}
    if (isinstance(last.operation, keras.layers.Softmax)
            or getattr(last.operation, "activation", None) in squashing):
        raise ValueError(
            "Expected a network whose outputs are logits. Remove the activation "
            "of the last layer, or give the likelihood `from_logits=False`. "
            f"Received: layer {last.operation.name}, which gives probabilities")


def _scoped(kind, factor):
    def call(self, inputs, training=False):
        draw = noise.current()
        if draw is None:
            return kind.call(self, inputs, training=training)
        shape = draw.rows(_noise_shape(self, ops.shape(inputs)))
        return inputs * tf.cast(factor(self, shape, draw.key_of(self)),
                                inputs.dtype)
    return call


def _noise_shape(layer, shape):
    """Shape of a layer's noise: one for a unit, or one for a channel."""
    if isinstance(layer, _SPATIAL):
        last = layer.input_spec.ndim - 1
        first = getattr(layer, "data_format", None) == "channels_first"
        channel = 1 if first else last
        return tuple(size if i in (0, channel) else 1
                     for i, size in enumerate(shape))
    asked = getattr(layer, "noise_shape", None)
    if asked is None:
        return shape
    return tuple(shape[i] if size is None else size
                 for i, size in enumerate(asked))


def _bernoulli(layer, shape, key):
    keep = tf.cast(noise.mask(shape, layer.rate, key), tf.float32)
    return keep * (1.0 / (1.0 - layer.rate))


def _gaussian(layer, shape, key):
    scale = math.sqrt(layer.rate / (1.0 - layer.rate))
    return 1.0 + scale * noise.normal(shape, key)


_SELU_FLOOR = -1.7580993408473766  # Minus scale times alpha of SELU.
_SPATIAL = (keras.layers.SpatialDropout1D, keras.layers.SpatialDropout2D,
            keras.layers.SpatialDropout3D)
_FACTORS = {keras.layers.Dropout: _bernoulli,
            keras.layers.GaussianDropout: _gaussian,
            **dict.fromkeys(_SPATIAL, _bernoulli)}


def _factor(layer):
    """The noise of a stock dropout layer, `None` for any other."""
    for kind, factor in _FACTORS.items():
        # A subclass with its own `call` is not replaced.
        if isinstance(layer, kind) and type(layer).call is kind.call:
            return factor if layer.rate > 0 else None
    return None


def _is_alpha(layer):
    kind = keras.layers.AlphaDropout
    return isinstance(layer, kind) and type(layer).call is kind.call and layer.rate > 0


def _alpha_call(self, inputs, training=False):
    draw = noise.current()
    if draw is None:
        return type(self).call(self, inputs, training=training)
    shape = draw.rows(_noise_shape(self, ops.shape(inputs)))
    keep = noise.mask(shape, self.rate, draw.key_of(self))
    # Dropped units take the value that keeps mean and variance of SELU units.
    scale = ((1.0 - self.rate) * (1.0 + self.rate * _SELU_FLOOR**2)) ** -0.5
    outputs = tf.where(keep, inputs, tf.cast(_SELU_FLOOR, inputs.dtype))
    return scale * outputs - scale * _SELU_FLOOR * self.rate


def _draws_by_itself(layer):
    """Whether a layer of a user has a random generator that the zoo does not use."""
    theirs = type(layer).__module__.split(".")[0] not in ("keras", "bdlzoo")
    return theirs and not is_stochastic(layer) and (
        keras_internals.draws_by_itself(layer)
        or bool(isinstance(layer, tuple(_FACTORS)) and layer.rate))
