"""Check of the shape and the type of rows against the inputs of a network."""

import numpy as np
import tensorflow as tf

from bdlzoo.core import keras_internals


def check(network, x):
    """Raises an error if rows do not have the form of the inputs of a network.

    Args:
        network: Keras model; a subclassed one takes any shape.
        x: Structure of arrays or tensors.
    """
    functional = keras_internals.graph(network)
    parts = tf.nest.flatten(x)
    received = [tuple(t.shape[1:]) for t in parts]
    expected = received if functional is None else [
        tuple(t.shape[1:]) for t in functional.inputs]
    if not _fit(expected, received):
        raise ValueError("Expected rows in the shape that the network was "
                         f"made for, {expected}. Received: {received}")
    for symbol, part in zip(functional.inputs if functional else (), parts):
        _check_type(symbol, part)


def _fit(expected, received):
    return len(expected) == len(received) and all(
        len(e) == len(r) and all(a in (None, b) for a, b in zip(e, r))
        for e, r in zip(expected, received))


def _check_type(symbol, part):
    """Raises where Keras would fail late, or round without a word."""
    wanted, found = (tf.as_dtype(t.dtype) for t in (symbol, part))
    text = (wanted == tf.string) != (found == tf.string or found == tf.as_dtype(object))
    rounded = wanted.is_integer and found.is_floating and not _is_whole(part)
    if text or rounded:
        raise ValueError(
            f"Expected {wanted.name} in input {symbol.name} of the network"
            f"{', whole numbers' if rounded else ''}. Received: {found.name}")


def _is_whole(part):
    if tf.is_tensor(part) and not hasattr(part, "numpy"):
        return True  # Values in a graph are not known.
    values = np.asarray(part)
    return bool((values == np.floor(values)).all())
