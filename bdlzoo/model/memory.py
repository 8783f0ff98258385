"""How many rows fit into memory at once."""

import math

import tensorflow as tf

from bdlzoo.model import keras_internals

BUDGET = 2**29  # Bytes of activations and drawn weights of one prediction.
_IN_FLIGHT = 10  # Draws that `tf.map_fn` may have under way at once.


def rows_per_chunk(network, rows):
    """Rows to predict at once, so that draws stay within the budget.

    A draw holds the activations of its rows, and a copy of the weights where
    they are what is drawn; both count.
    """
    weights = 4 * network.count_params()
    left = max(BUDGET - _IN_FLIGHT * weights, BUDGET // 10)
    return max(1, min(rows, left // (_IN_FLIGHT * _row_bytes(network))))


def _row_bytes(network):
    functional = keras_internals.graph(network)
    if functional is None:  # Its activations are out of sight: a cautious guess.
        return 2**17
    tensors = [t for node in keras_internals.nodes(functional)
               for t in tf.nest.flatten(node.outputs)]
    return 4 * sum(math.prod(d or 1 for d in t.shape[1:]) for t in tensors)
