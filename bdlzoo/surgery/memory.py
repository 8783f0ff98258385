"""Number of rows and draws that fit into memory at once.

    a quarter of the budget    draws that are held, of all rows
    an eighth                  draws that are summed at once, of some rows

Measures need several times the memory of the draws that they are computed from.
"""

import math

import tensorflow as tf
from absl import logging

from bdlzoo.core import keras_internals
from bdlzoo.layers.exemplar import Exemplar

BUDGET = 2**29  # Bytes of activations and drawn weights of one prediction.
_IN_FLIGHT = 10  # Draws that `tf.map_fn` may run at once.
_IN_PART = 16  # Draws of a part, where rows are few enough.
_BATCH = 32  # Rows of a batch whose size is not known yet.


def rows_at_once(row_bytes, weight_bytes):
    """Rows to predict at once, so that draws stay within the budget.

    A draw holds the activations of its rows, and a copy of the weights if these
    are drawn; both count.
    """
    left = max(BUDGET - _IN_FLIGHT * weight_bytes, BUDGET // 10)
    return max(1, left // (_IN_FLIGHT * row_bytes))


def draws_in_flight(hidden, row_bytes, weight_bytes):
    """Draws that a loop may compute side by side, a Python integer.

    Args:
        hidden: Structure of tensors, what the draws are computed from.
        row_bytes: Bytes of the activations of a row.
        weight_bytes: Bytes of the weights of a draw.
    """
    shape = tf.nest.flatten(hidden)[0].shape
    rows = (shape[0] if shape.rank else None) or _BATCH
    return max(1, min(_IN_FLIGHT, BUDGET // (rows * row_bytes + weight_bytes)))


def can_hold(numbers):
    """Whether draws of so many numbers in all are held in memory."""
    return 4 * numbers <= BUDGET // 4


def rows_to_sum(row_numbers, num_samples):
    """Rows whose draws are summed at once, so that several draws are one part.

    Args:
        row_numbers: Integer, outputs of a row.
        num_samples: Integer, number of draws.
    """
    return max(1, BUDGET // 8 // (4 * row_numbers * min(num_samples, _IN_PART)))


def draws_to_sum(rows, row_numbers, num_samples, group=1):
    """Draws that are summed at once, in parts of about the same size.

    Args:
        rows: Integer or scalar tensor.
        row_numbers: Integer, outputs of a row.
        num_samples: Integer or scalar tensor, number of draws.
        group: Integer, draws that are computed together.

    Returns:
        `num_samples` if all are one part; else a multiple of `group`, at least one.
        A tensor if `rows` or `num_samples` is one.
    """
    rows, num_samples = (tf.get_static_value(n) if tf.is_tensor(n) and (
        tf.get_static_value(n) is not None) else n for n in (rows, num_samples))
    larger = tf.maximum if tf.is_tensor(rows) or tf.is_tensor(num_samples) else max
    groups = larger(1, min(BUDGET // 8 // (4 * row_numbers), 2**30) // rows // group)
    parts = -(-num_samples // (groups * group))
    size = -(-num_samples // (parts * group)) * group  # Of equal parts.
    if larger is max:
        return num_samples if parts == 1 else size
    return tf.where(parts == 1, num_samples, size)


def make_room(network, rows):
    """Switches layers with a kernel for each row to Flipout if memory is short.

    If the kernels of a training step do not fit the budget, the layers with the
    largest ones use Flipout, until the others fit.

    Args:
        network: Built Keras model.
        rows: Integer, rows of a step.

    Returns:
        Bool, whether a layer was switched.
    """
    layers = [layer for layer in keras_internals.layers(network)
              if isinstance(layer, Exemplar) and not layer.one_position]
    before = [layer.crowded for layer in layers]
    sizes = {layer: 4 * rows * math.prod(layer.kernel.shape) for layer in layers}
    left = sum(sizes.values())
    for layer in sorted(layers, key=sizes.get, reverse=True):
        layer.crowded = left > BUDGET
        left -= sizes[layer] if layer.crowded else 0
    crowded = [layer.name for layer in layers if layer.crowded]
    changed = before != [layer.crowded for layer in layers]
    if crowded and changed:
        logging.warning(
            "A kernel for each of %d rows takes %.1f GB, more than %.1f: these "
            "layers use Flipout in training: %s. Smaller batches need less.", rows,
            sum(sizes.values()) / 2**30, BUDGET / 2**30, ", ".join(crowded))
    return changed


def needs(network):
    """Bytes of the activations of one row, and of the weights."""
    weights = 4 * network.count_params()
    functional = keras_internals.graph(network)
    if functional is None:  # Its activations are not known: a cautious guess.
        return 2**17, weights
    tensors = [t for node in keras_internals.nodes(functional)
               for t in tf.nest.flatten(node.outputs)]
    return 4 * sum(math.prod(d or 1 for d in t.shape[1:]) for t in tensors), weights
