"""Copies of a network in one network, each on its own rows of a batch.

    outputs[i] = network(inputs[i]; weights[i % copies])

A batch holds one row for each copy, then the next row for each copy, and so on. A
model can use it like any other network, to train on several problems at once, such
as the splits of a benchmark. See `bdlzoo.surgery.stacked_network`.
"""

import keras
import tensorflow as tf

from bdlzoo.surgery.stacked_network import StackedNetwork


@keras.saving.register_keras_serializable(package="bdlzoo")
class InterleavedNetwork(StackedNetwork):
    """Copies of a network, each of which reads its own rows of a batch.

    Args:
        plain: Keras model, the architecture of the copies. Its own weights are not
            copied.
        copies: Integer, number of copies.
        seed: Integer, seed of the initial weights.
        **kwargs: Arguments of `keras.Model`, such as `name`.
    """

    def __init__(self, plain, copies, seed=0, **kwargs):
        super().__init__(plain, copies, seed, **kwargs)

    def build(self, input_shape):
        """Makes the copies.

        Args:
            input_shape: Shape of inputs `(None, ...)`, or a structure of them.
        """
        super().build(keras.tree.map_shape_structure(
            lambda shape: (1, *shape), input_shape))

    def call(self, inputs, training=False):
        """Runs each copy on its rows.

        Args:
            inputs: Tensors `[B * M, ...]`; row i is of copy `i % M`.
            training: Bool.

        Returns:
            Outputs `[B * M, ...]`.
        """
        outputs = super().call(
            tf.nest.map_structure(self._apart, inputs), training=training)
        return tf.nest.map_structure(_in_turns, outputs)

    def _apart(self, rows):
        shape = tf.concat([[-1, self.copies], tf.shape(rows)[1:]], axis=0)
        copies = _swapped(tf.reshape(rows, shape))
        return tf.ensure_shape(copies, [self.copies, None, *rows.shape[1:]])


def _in_turns(outputs):
    """Inverse of `_apart`: `[M, B, ...]` as rows `[B * M, ...]`."""
    shape = tf.concat([[-1], tf.shape(outputs)[2:]], axis=0)
    rows = tf.reshape(_swapped(outputs), shape)
    return tf.ensure_shape(rows, [None, *outputs.shape[2:]])


def _swapped(tensor):
    return tf.transpose(tensor, [1, 0, *range(2, tensor.shape.rank)])
