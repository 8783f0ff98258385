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
        return functional.output_shape
    # The layers of a subclassed network are built by a call only.
    with tf.init_scope():
        row = input_form.blank_rows(network, input_shape)
        return (None, *network(row, training=False).shape[1:])
