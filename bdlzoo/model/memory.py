"""How many rows fit into memory at once."""

import math

import tensorflow as tf

from bdlzoo.model import keras_internals

BUDGET = 2**29  # Bytes of activations and drawn weights of one prediction.
_IN_FLIGHT = 10  # Draws that `tf.map_fn` may have under way at once.


def rows_at_once(row_bytes, weight_bytes):
    """Rows to predict at once, so that draws stay within the budget.

    A draw holds the activations of its rows, and a copy of the weights where
    they are what is drawn; both count.
    """
    left = max(BUDGET - _IN_FLIGHT * weight_bytes, BUDGET // 10)
    return max(1, left // (_IN_FLIGHT * row_bytes))


def needs(network):
    """Bytes of the activations of one row, and of the weights."""
    weights = 4 * network.count_params()
    functional = keras_internals.graph(network)
    if functional is None:  # Its activations are out of sight: a cautious guess.
        return 2**17, weights
    tensors = [t for node in keras_internals.nodes(functional)
               for t in tf.nest.flatten(node.outputs)]
    return 4 * sum(math.prod(d or 1 for d in t.shape[1:]) for t in tensors), weights
