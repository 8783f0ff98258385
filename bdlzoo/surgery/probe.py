"""Inputs made up to try a network, and the gap between two networks on them."""

import keras
import tensorflow as tf

from bdlzoo.core import keras_internals, noise
from bdlzoo.surgery import input_form

_ROWS = 2
# Lengths to try for axes that are not fixed, such as time: a table of positions may
# be short, a convolution may need many.
_LENGTHS = (8, 4, 2, 1, 16, 32, 64, 128, 256)


def inputs(network):
    """Two rows of inputs for a built network, in the structure that it takes.

    Numbers are normal, integers 0 and 1, strings empty; all are the same each time.
    Axes that are not fixed have a length on which the network runs.
    """
    wanted = _wanted(network)
    if all(None not in tensor.shape[1:] for tensor in keras.tree.flatten(wanted)):
        return _filled(wanted, None)
    for length in _LENGTHS:
        rows = _filled(wanted, length)
        try:
            network(rows, training=False)
        except Exception as error:  # Whatever a stranger's layer raises.
            failure = error
        else:
            return rows
    raise ValueError(
        "Expected a network that runs on inputs of some length; give its `Input` a "
        f"fixed shape. Received: network {network.name}, which fails for all of "
        f"{_LENGTHS} in place of None ({type(failure).__name__}: {failure})"
    ) from failure


def _wanted(network):
    """Structure of tensors or specs that a network takes."""
    functional = keras_internals.graph(network)
    if functional is None:
        return input_form.specs(network, network.get_build_config()["input_shape"])
    return keras_internals.input_structure(functional)


def _filled(wanted, length):
    key = noise.key(0, noise.INITIAL)
    rows = [_rows(tensor, length, noise.fold_in(key, place))
            for place, tensor in enumerate(keras.tree.flatten(wanted))]
    return keras.tree.pack_sequence_as(wanted, rows)


def gap(network, other):
    """Largest difference of the outputs of two networks, relative to their size."""
    rows = inputs(network)
    pairs = zip(*(tf.nest.flatten(each(rows, training=False))
                  for each in (network, other)), strict=True)
    gaps = [0.0]
    for first, second in pairs:
        first, second = (tf.cast(t, tf.float32) for t in (first, second))
        size = 1.0 + tf.reduce_max(tf.abs(first))
        gaps.append(float(tf.reduce_max(tf.abs(first - second)) / size))
    return max(gaps)


def _rows(tensor, length, key):
    shape = [_ROWS, *(length if size is None else size for size in tensor.shape[1:])]
    dtype = tf.as_dtype(tensor.dtype)
    if dtype == tf.string:
        return tf.fill(shape, "")
    if dtype.is_floating:
        return tf.cast(noise.normal(shape, key), dtype)
    return tf.cast(noise.mask(shape, 0.5, key), dtype)
