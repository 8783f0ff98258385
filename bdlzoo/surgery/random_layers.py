"""Random layers of Keras that get their numbers from the zoo.

    noise of a number = noise.normal(shape, key of the draw, layer, place in its call)

The layers that change images at random (`RandomTranslation`, `RandomFlip`, ...) ask
`layer.backend.random` for numbers. An adopted layer asks this module instead, which
makes them from the key of the draw scope. So they depend on the seed and the step
alone: a resumed training has the same ones, and replicas have different ones.
`GaussianNoise` is adopted too. Outside of a scope all layers behave as before.

A layer that makes numbers in a way that cannot be reached is refused.
"""

import itertools
import types

import keras
import tensorflow as tf

from bdlzoo.core import held, keras_internals, noise
from bdlzoo.surgery import conversion

# Their call mixes the rows of a batch, or asks Python for random numbers.
_REFUSED = {"AugMix": "chooses its steps by Python's `random` when it is traced",
            "CutMix": "mixes the rows of a batch, and their labels",
            "MixUp": "mixes the rows of a batch, and their labels",
            "RandomElasticTransform": "hands its generator on to an operation"}


def adopt(network):
    """Gives the random layers of a network, or a layer, the noise of the draw scope.

    Call it again after loading: its settings are not saved.

    Raises:
        ValueError: If a layer makes its own random numbers.
    """
    conversion.adopt(network)
    for layer in keras_internals.layers(network):
        kind = type(layer)
        if kind.__name__ in _REFUSED and _is_of_keras(layer):
            raise ValueError(
                "Expected layers whose noise depends on the seed and the step, row by "
                "row. Use other layers. Received: layer "
                f"{layer.name} of type {kind.__name__}, which "
                f"{_REFUSED[kind.__name__]}")
        if _asks_its_backend(layer):
            if not isinstance(layer.backend, _ScopedBackend):
                layer.backend = _ScopedBackend(layer.backend, layer)
        elif kind is keras.layers.GaussianNoise:
            layer.call = types.MethodType(_noisy_call, layer)
        elif _draws_by_itself(layer):
            raise ValueError(
                "Expected layers whose noise depends on the seed and the step: take "
                "layers of Keras, or draw the numbers with `bdlzoo.core.noise`. "
                f"Received: layer {layer.name} of type {kind.__name__}, which has a "
                "random generator of its own")


def changed(layer, inputs, key):
    """Inputs after an adopted layer or model, each row with its own noise."""
    with noise.draws(key), held.values():
        return layer(inputs, training=True)


class _ScopedBackend:
    """Stands for the backend of a layer, with other random numbers.

    Args:
        backend: Backend of the layer.
        layer: Adopted layer.
    """

    def __init__(self, backend, layer):
        self._stock = backend
        self._layer = layer

    def __getattr__(self, name):
        return getattr(self._stock, name)

    @property
    def random(self):
        inside = noise.current() is not None
        return _ScopedRandom(self._layer) if inside else self._stock.random


class _ScopedRandom:
    """Random numbers of one layer in the current draw; `seed` has no effect."""

    def __init__(self, layer):
        self._layer = layer

    def __getattr__(self, name):
        raise ValueError(
            "Expected a layer that draws uniform or normal numbers or integers: other "
            "laws do not come from the noise of the zoo. Received: layer "
            f"{self._layer.name} of type {type(self._layer).__name__}, which draws "
            f"from `{name}`")

    def uniform(self, shape, minval=0.0, maxval=1.0, dtype=None, seed=None):
        del seed
        low, high = (tf.cast(edge, tf.float32) for edge in (minval, maxval))
        drawn = low + (high - low) * noise.uniform(shape, self._key())
        return tf.cast(drawn, dtype or keras.backend.floatx())

    def normal(self, shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
        del seed
        drawn = mean + stddev * noise.normal(shape, self._key())
        return tf.cast(drawn, dtype or keras.backend.floatx())

    def randint(self, shape, minval, maxval, dtype="int32", seed=None):
        del seed
        low, high = (tf.cast(edge, tf.float32) for edge in (minval, maxval))
        drawn = tf.floor(low + (high - low) * noise.uniform(shape, self._key()))
        return tf.cast(tf.minimum(drawn, high - 1.0), dtype)

    def _key(self):
        # A layer draws several times in a call: each time from another stream.
        places = held.once((id(self._layer), "places"), itertools.count)
        return noise.fold_in(noise.current().key_of(self._layer), next(places))


def _noisy_call(self, inputs, training=False):
    draw = noise.current()
    if draw is None or not training or not self.stddev:
        return type(self).call(self, inputs, training=training)
    normal = noise.normal(draw.rows(tf.shape(inputs)), draw.key_of(self))
    return inputs + tf.cast(self.stddev * normal, inputs.dtype)


def _is_of_keras(layer):
    return type(layer).__module__.split(".")[0] == "keras"


def _asks_its_backend(layer):
    return _is_of_keras(layer) and hasattr(layer, "backend") and (
        keras_internals.draws_by_itself(layer))


def _draws_by_itself(layer):
    """Whether a layer has a generator, but no part of the zoo takes its place."""
    if not keras_internals.draws_by_itself(layer) or conversion.is_stochastic(layer):
        return False
    rates = (getattr(layer, name, 0.0) for name in (
        "rate", "dropout", "recurrent_dropout"))
    return not _is_of_keras(layer) or any(
        isinstance(rate, float) and rate for rate in rates)
