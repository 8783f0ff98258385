"""Shape of the outputs of any network, which is built for this."""

import keras
import tensorflow as tf

from bdlzoo.core import keras_internals
from bdlzoo.surgery import input_form


def of(network, input_shape):
    """Builds a network and returns the shape of its outputs, batch first.

    Args:
        network: Any Keras model.
        input_shape: Shape of a batch of inputs, or a structure of them.
    """
    if isinstance(network, keras.Sequential) and not network.built:
        network.build(input_shape)
    functional = keras_internals.graph(network)
    if functional is not None:
        shape = functional.output_shape
        _refuse_several(keras.tree.map_structure(
            lambda t: tuple(t.shape), functional.output), network)
        if None in shape[1:] and not _is_open(input_shape):
            # The sizes of these inputs tell those of the outputs.
            shape = functional.compute_output_shape(input_shape)
        return (None, *shape[1:])
    # The layers of a subclassed network are built by a call only.
    with tf.init_scope():
        row = input_form.blank_rows(network, input_shape)
        outputs = network(row, training=False)
        _refuse_several(keras.tree.map_structure(
            lambda t: tuple(t.shape), outputs), network)
        return (None, *outputs.shape[1:])


def _is_open(input_shape):
    """Whether the size of an axis besides the batch is not known."""
    shapes = []
    keras.tree.map_shape_structure(shapes.append, input_shape)
    return any(None in shape[1:] for shape in shapes)


def _refuse_several(shape, network):
    """Raises if a network returns several outputs, by name or in order."""
    if isinstance(shape, tuple) and all(
            size is None or isinstance(size, int) for size in shape):
        return
    place = repr(next(iter(shape))) if isinstance(shape, dict) else 0
    raise ValueError(
        "Expected a network with one output, a tensor. Make a model of each output: "
        f"`keras.Model(network.inputs, network.output[{place}])`. Received: network "
        f"{network.name} with outputs of shapes {shape}")
