"""Form of the inputs of a network: their structure, ranks and types.

A functional network knows the form of its inputs. A subclassed one does not, so that
the types of its first data are remembered on it.
"""

import re

import tensorflow as tf

from bdlzoo.core import arrays, keras_internals

_UNNAMED = re.compile(r"(keras_tensor|input_layer)(_\d+)?")
_REMEMBERED = "zoo_input_dtypes"


def fitted(network, x):
    """Inputs in the structure and the ranks of a network, as Keras would fit them.

    A dictionary is read by the names of the inputs, and may hold more than these. Rows
    of rank 0 fit an input of shape `(1,)`, and the other way round.

    Args:
        network: Keras model; a subclassed one takes any form.
        x: Structure of arrays or tensors.
    """
    functional = keras_internals.graph(network)
    if functional is None:
        return x
    x = _by_name(functional.input, x)
    flat = tf.nest.flatten(x)
    if len(flat) != len(functional.inputs):
        return x  # The check of shapes says what is wrong.
    return tf.nest.pack_sequence_as(
        x, [_ranked(part, symbol) for part, symbol in zip(flat, functional.inputs)])


def is_fitted(network, x):
    """Whether inputs, or specs of them, have the form of a network already."""
    functional = keras_internals.graph(network)
    if functional is None:
        return True
    flat, wanted = tf.nest.flatten(x), functional.input
    names = sorted(wanted) if isinstance(wanted, dict) else None
    same = sorted(x) == names if isinstance(x, dict) else names is None
    return same and all(len(part.shape) == len(symbol.shape)
                        for part, symbol in zip(flat, functional.inputs))


def remember(network, x):
    """Keeps the types of the inputs of a network.

    Args:
        network: Keras model.
        x: Structure of arrays or tensors, or of the names of their types.
    """
    flat = tf.nest.flatten(x)
    named = x if isinstance(flat[0], str) else arrays.dtypes(x)
    # Wrapped, because Keras tracks lists and dictionaries of attributes.
    setattr(network, _REMEMBERED, lambda: named)


def hand_on(network, other):
    """Lets a copy of a network know the types of its inputs."""
    if hasattr(network, _REMEMBERED):
        setattr(other, _REMEMBERED, getattr(network, _REMEMBERED))


def computing_type(network):
    """Name of the type that the first layers of a network compute in.

    Of several inputs it is the widest, so that no number is taken for too large that
    is not.
    """
    functional = keras_internals.graph(network)
    if functional is None:
        return network.compute_dtype
    symbols = {id(symbol) for symbol in functional.inputs}
    found = {getattr(node.operation, "compute_dtype", None)
             for node in keras_internals.nodes(functional)
             if any(id(symbol) in symbols for symbol in node.input_tensors)}
    found = [tf.as_dtype(name) for name in found if name]
    floats = [dtype for dtype in found if dtype.is_floating]
    return max(floats, key=lambda dtype: dtype.max).name if floats else "float32"


def dtypes(network):
    """Types of the inputs of a network, in the order of `tf.nest.flatten`.

    Returns:
        List of names; `None` if nothing is known of a subclassed network.
    """
    functional = keras_internals.graph(network)
    if functional is not None:
        return [symbol.dtype for symbol in functional.inputs]
    known = getattr(network, _REMEMBERED, None)
    return None if known is None else tf.nest.flatten(known())


def specs(network, input_shape):
    """Specs of a batch of inputs, with their names, in the structure of the shapes.

    Args:
        network: Keras model, or `None`. Inputs of unknown types are floats.
        input_shape: Shape of a batch of inputs, or a structure of them.
    """
    shapes = _flat_shapes(input_shape)
    types = network and dtypes(network) or ["float32"] * len(shapes)
    made = [tf.TensorSpec((None, *shape[1:]), kind, name) for shape, kind, name in zip(
        shapes, types, _names(network, input_shape, len(shapes)), strict=True)]
    return _like(input_shape, iter(made))


def blank_rows(network, input_shape):
    """A row of zeros (or empty strings) in the types of the inputs of a network.

    Args:
        network: Keras model.
        input_shape: Shape of a batch of inputs, or a structure of them.
    """
    return tf.nest.map_structure(
        lambda spec: tf.zeros([size or 1 for size in spec.shape], spec.dtype),
        specs(network, input_shape))


def _names(network, input_shape, count):
    """Names of inputs: keys of a dictionary, or those that the user gave."""
    if isinstance(input_shape, dict) and len(input_shape) == count:
        return sorted(input_shape)
    functional = network and keras_internals.graph(network)
    if count == 1:
        return ["inputs"]
    numbered = [f"inputs_{place}" for place in range(count)]
    return numbered if not functional else [
        given_name(symbol, number)
        for symbol, number in zip(functional.inputs, numbered)]


def given_name(symbol, otherwise):
    """Name of a symbolic input if the user gave one.

    Names that Keras makes up change from process to process.
    """
    return otherwise if _UNNAMED.fullmatch(symbol.name) else symbol.name


def _is_shape(value):
    """Whether a part of a structure is the shape of one input."""
    return isinstance(value, (tuple, list)) and all(
        size is None or isinstance(size, int) for size in value)


def _flat_shapes(structure):
    """Shapes of a structure, in the order of `tf.nest.flatten`."""
    if _is_shape(structure):
        return [tuple(structure)]
    parts = [structure[name] for name in sorted(structure)] if isinstance(
        structure, dict) else structure
    return [shape for part in parts for shape in _flat_shapes(part)]


def _like(structure, values):
    """Values in the structure of shapes."""
    if _is_shape(structure):
        return next(values)
    if isinstance(structure, dict):
        made = {name: _like(structure[name], values) for name in sorted(structure)}
        return {name: made[name] for name in structure}  # In the order that was given.
    return tuple(_like(part, values) for part in structure)


def _by_name(wanted, x):
    """Those parts of a dictionary that a network takes."""
    if not isinstance(x, dict):
        if isinstance(wanted, dict) and len(wanted) > 1:
            raise ValueError(
                "Expected a dictionary of the inputs of the network, "
                f"{sorted(wanted)}. Received: inputs of type {type(x).__name__}")
        # Of one input, the name may be left out.
        return dict.fromkeys(wanted, x) if isinstance(wanted, dict) else x
    symbols = tf.nest.flatten(wanted)
    keys = sorted(wanted) if isinstance(wanted, dict) else [s.name for s in symbols]
    missing = [key for key in keys if key not in x]
    if missing:
        raise ValueError(
            f"Expected inputs with the names of the network, {keys}. Received: "
            f"{sorted(x)}, without {missing}")
    if isinstance(wanted, dict):
        return {key: x[key] for key in wanted}  # Keras warns of another order.
    found = tuple(x[key] for key in keys)
    return found if isinstance(wanted, (list, tuple)) and len(found) > 1 else found[0]


def _ranked(part, symbol):
    rank, wanted = len(part.shape), len(symbol.shape)
    if rank == wanted - 1 and symbol.shape[-1] == 1:
        return part[..., None]
    if rank == wanted + 1 and part.shape[-1] == 1:
        return part[..., 0]
    return part
