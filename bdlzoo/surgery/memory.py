"""Number of rows that fit into memory at once."""

import math

import tensorflow as tf
from absl import logging

from bdlzoo.core import keras_internals
from bdlzoo.layers.exemplar import Exemplar

BUDGET = 2**29  # Bytes of activations and drawn weights of one prediction.
_IN_FLIGHT = 10  # Draws that `tf.map_fn` may run at once.


def rows_at_once(row_bytes, weight_bytes):
    """Rows to predict at once, so that draws stay within the budget.

    A draw holds the activations of its rows, and a copy of the weights if these
    are drawn; both count.
    """
    left = max(BUDGET - _IN_FLIGHT * weight_bytes, BUDGET // 10)
    return max(1, left // (_IN_FLIGHT * row_bytes))


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
