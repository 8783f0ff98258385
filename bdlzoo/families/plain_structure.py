"""One structure of a network of cells, as a plain Keras model.

Cells become layers of Keras, one operation for each edge that is used, with copies
of the weights; the other layers are copied unchanged. The result is saved and
loaded without this package.
"""

import keras
import numpy as np

from bdlzoo.core import keras_internals
from bdlzoo.layers.cell import Cell
from bdlzoo.layers.concrete_structure import ConcreteStructure, edges
from bdlzoo.layers.fused_normalization import stock_layer
from bdlzoo.surgery import calls


def extract(network, structure):
    """The network under one structure.

    Args:
        network: Functional Keras model with a `ConcreteStructure` and cells.
        structure: Dictionary from edges `(i, j)` to names of operations, or
            mixing weights `[E, K]`.

    Returns:
        Functional `keras.Model` of stock layers.
    """
    functional = keras_internals.graph(network)
    if functional is None:
        raise ValueError(
            "Expected a functional network, whose layers can be rewired. Received: "
            f"{type(network).__name__}")
    sources, network_calls, results = calls.walk(functional)
    inputs = [keras.Input(t.shape[1:], dtype=t.dtype) for t in functional.inputs]
    values, twins = dict(zip(sources, inputs)), {}
    for call in network_calls:
        layer = call.layer
        if isinstance(layer, ConcreteStructure):
            weights = mixing_weights(layer, structure)
            values.update(dict.fromkeys(call.outputs, weights))
        elif isinstance(layer, Cell):
            call.run(values, None, lambda pair, **_: layer.plain(*pair))
        else:
            if id(layer) not in twins:
                twins[id(layer)] = stock_layer(layer)
            call.run(values, None, twins[id(layer)])
            twins[id(layer)].set_weights(layer.get_weights())
    outputs = [values[key] for key in results]
    return keras.Model(*(part[0] if len(part) == 1 else part
                         for part in (inputs, outputs)))


def mixing_weights(layer, structure):
    """Weights `[E, K]` of a structure; names become one-hot weights.

    Args:
        layer: `ConcreteStructure`.
        structure: Dictionary from edges `(i, j)` to names of operations, or
            mixing weights `[E, K]`.
    """
    pairs, names = edges(layer.num_nodes), layer.operations
    if isinstance(structure, dict):
        if set(structure) != set(pairs) or not set(structure.values()) <= set(names):
            raise ValueError(
                f"Expected a name of {names} for each edge of {pairs}. Received: "
                f"structure={structure}")
        return np.eye(len(names))[[names.index(structure[pair]) for pair in pairs]]
    weights = np.asarray(structure, "float64")
    if weights.shape != (len(pairs), len(names)):
        raise ValueError(
            f"Expected weights of {len(names)} operations for each of {len(pairs)} "
            f"edges. Received: structure of shape {weights.shape}")
    return weights


def average_statistics(network, x, batch_size=256):
    """Sets the moving statistics of BatchNorm to their means over inputs.

    Args:
        network: Keras model; its other weights stay.
        x: Inputs, as arrays.
        batch_size: Integer, rows of a batch; an incomplete last batch is left out.
    """
    norms = [layer for layer in keras_internals.layers(network)
             if isinstance(layer, keras.layers.BatchNormalization)]
    kept = [norm.momentum for norm in norms]
    batch_size = min(batch_size, len(x))
    try:
        for place in range(len(x) // batch_size):
            for norm in norms:  # The mean of all batches so far.
                norm.momentum = place / (place + 1)
            network(x[place * batch_size:(place + 1) * batch_size], training=True)
    finally:
        for norm, momentum in zip(norms, kept, strict=True):
            norm.momentum = momentum
