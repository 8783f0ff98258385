"""The shape of rows that a network was made for."""

import tensorflow as tf

from bdlzoo.core import keras_internals


def check(network, x):
    """Raises where rows do not have the shape that a network was made for.

    Args:
        network: Keras model; a subclassed one takes any shape.
        x: Structure of arrays or tensors.
    """
    functional = keras_internals.graph(network)
    received = [tuple(t.shape[1:]) for t in tf.nest.flatten(x)]
    expected = received if functional is None else [
        tuple(t.shape[1:]) for t in functional.inputs]
    if not _fit(expected, received):
        raise ValueError("Expected rows in the shape that the network was "
                         f"made for, {expected}. Received: {received}")


def _fit(expected, received):
    return len(expected) == len(received) and all(
        len(e) == len(r) and all(a in (None, b) for a, b in zip(e, r))
        for e, r in zip(expected, received))
