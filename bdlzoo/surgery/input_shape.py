"""Check of the shape of rows against the inputs of a network."""

import tensorflow as tf

from bdlzoo.core import keras_internals


def check(network, x):
    """Raises an error if rows do not have the shape of the inputs of a network.

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
