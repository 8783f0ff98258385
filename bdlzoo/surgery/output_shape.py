"""Shape of the outputs of any network, which is built for this."""

import keras
import tensorflow as tf

from bdlzoo.core import keras_internals


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
        return functional.output_shape
    # The layers of a subclassed network are built by a call only.
    with tf.init_scope():
        row = keras.tree.map_shape_structure(
            lambda s: tf.zeros([d or 1 for d in (1, *s[1:])]), input_shape)
        return (None, *network(row, training=False).shape[1:])
