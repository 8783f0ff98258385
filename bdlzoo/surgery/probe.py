"""Inputs made up to try a network, and the gap between two networks on them."""

import keras
import tensorflow as tf

from bdlzoo.core import keras_internals, noise
from bdlzoo.surgery import input_form

_ROWS = 2
_OPEN = 8  # Length of an axis that is not fixed, such as time.


def inputs(network):
    """Two rows of inputs for a built network, in the structure that it takes.

    Numbers are normal, integers 0 and 1, strings empty; all are the same each time.
    """
    functional = keras_internals.graph(network)
    key = noise.key(0, noise.INITIAL)
    if functional is None:
        wanted = input_form.specs(network, network.get_build_config()["input_shape"])
    else:
        wanted = keras_internals.input_structure(functional)
    rows = [_rows(tensor, noise.fold_in(key, place))
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


def _rows(tensor, key):
    shape = [_ROWS, *(_OPEN if size is None else size for size in tensor.shape[1:])]
    dtype = tf.as_dtype(tensor.dtype)
    if dtype == tf.string:
        return tf.fill(shape, "")
    if dtype.is_floating:
        return tf.cast(noise.normal(shape, key), dtype)
    return tf.cast(noise.mask(shape, 0.5, key), dtype)
