"""Keras' mask of the outputs of a network: false where a sequence is padded."""

import tensorflow as tf

from bdlzoo.core import keras_internals
from bdlzoo.surgery import input_form


def exists(network, input_shape):
    """Whether the outputs of a network have a mask.

    Args:
        network: Built Keras model.
        input_shape: Shape of a batch of inputs, or a structure of them.
    """
    functional = keras_internals.graph(network)
    if functional is not None:
        return keras_internals.mask_of(functional.outputs[0]) is not None
    with tf.init_scope():
        row = input_form.blank_rows(network, input_shape)
        outputs = network(row, training=False)
    return keras_internals.mask_of(outputs) is not None


def of(network, inputs):
    """Mask `[B, ...]` of the outputs; in a graph, only what it needs is computed.

    Args:
        network: Keras model whose outputs have a mask.
        inputs: Inputs of the network.
    """
    return keras_internals.mask_of(network(inputs, training=False))
