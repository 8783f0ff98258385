"""Embeddings with a posterior over their vectors.

There is no exemplar form: a table for each row would be drawn to read a few
lines of it.
"""

import keras
import tensorflow as tf
from keras import ops

from bdlzoo.layers.flipout import Flipout
from bdlzoo.layers.local_reparameterization import LocalReparameterization
from bdlzoo.layers.reparameterization import Reparameterization

_register = keras.saving.register_keras_serializable(package="bdlzoo")


class EmbeddingMap(keras.layers.Embedding):
    """How a table of vectors acts on indices."""

    input_channels = None  # Indices have no signs.

    @property
    def kernel(self):
        return self.embeddings

    def build(self, input_shape=None):
        super().build(input_shape)
        self.output_channels = self.output_dim
        self.one_position = False  # An index that comes twice has one vector.

    def linear(self, inputs, kernel):
        return ops.take(kernel, ops.cast(inputs, "int32"), axis=0)

    def linear_each(self, inputs, kernels):
        stacked = ops.reshape(ops.cast(inputs, "int32"), (len(kernels), -1))
        return ops.reshape(tf.gather(kernels, stacked, batch_dims=1),
                           (*ops.shape(inputs), self.output_channels))


@_register
class EmbeddingReparameterization(Reparameterization, EmbeddingMap):
    """`keras.layers.Embedding` with one table for the batch."""


@_register
class EmbeddingFlipout(Flipout, EmbeddingMap):
    """`keras.layers.Embedding` with one table and signs for each row."""


@_register
class EmbeddingLocalReparameterization(LocalReparameterization, EmbeddingMap):
    """`keras.layers.Embedding` with noise of its own at each position."""
