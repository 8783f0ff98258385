"""Embeddings with a posterior over their vectors.

There is no exemplar form: it would draw a whole table for each row, to read a few
vectors of it.
"""

import keras
import tensorflow as tf
from keras import ops

from bdlzoo.layers.flipout import Flipout
from bdlzoo.layers.local_reparameterization import LocalReparameterization
from bdlzoo.layers.reparameterization import Reparameterization

_register = keras.saving.register_keras_serializable(package="bdlzoo")


class EmbeddingMap(keras.layers.Embedding):
    """Looks up vectors by their index."""

    input_channels = None  # Indices have no signs.

    @property
    def kernel(self):
        return self.embeddings

    def build(self, input_shape=None):
        super().build(input_shape)
        self.output_channels = self.output_dim
        self.one_position = False  # An index that occurs twice has one vector.

    def linear(self, inputs, kernel):
        return ops.take(kernel, ops.cast(inputs, "int32"), axis=0)

    def linear_each(self, inputs, kernels):
        stacked = ops.reshape(ops.cast(inputs, "int32"), (len(kernels), -1))
        return ops.reshape(tf.gather(kernels, stacked, batch_dims=1),
                           (*ops.shape(inputs), self.output_channels))


@_register
class EmbeddingReparameterization(Reparameterization, EmbeddingMap):
    """Runs `keras.layers.Embedding` with one table for the batch.

    Args:
        input_dim: Integer, number of indices.
        output_dim: Integer, length of a vector.
        embeddings_initializer: Name or initializer of the mean vectors.
        mask_zero: Bool, whether the index 0 is padding that later layers skip.
        prior_scale: Float, standard deviation of the zero-mean normal prior.
        prior: Name, spec or `Prior`; `None` is the normal prior of `prior_scale`.
        init_scale: Float, standard deviation of the posterior at the start.
        scale_transform: `"exp"` or `"softplus"`, the function from the trained weight
            to the standard deviation.
        variational_bias: Bool, without effect, since an embedding has no bias.
        **kwargs: Other arguments of `keras.layers.Embedding`, such as
            `embeddings_regularizer` and `name`.

    Example:

        EmbeddingReparameterization(1000, 32)
    """

    def __init__(self, input_dim, output_dim, embeddings_initializer="uniform", *,
                 mask_zero=False, prior_scale=1.0, prior=None, init_scale=0.01,
                 scale_transform="exp", variational_bias=False, **kwargs):
        super().__init__(input_dim=input_dim, output_dim=output_dim,
                         embeddings_initializer=embeddings_initializer,
                         mask_zero=mask_zero, prior_scale=prior_scale, prior=prior,
                         init_scale=init_scale, scale_transform=scale_transform,
                         variational_bias=variational_bias, **kwargs)


@_register
class EmbeddingFlipout(Flipout, EmbeddingMap):
    """Runs `keras.layers.Embedding` with one table and signs for each row.

    Args:
        input_dim: Integer, number of indices.
        output_dim: Integer, length of a vector.
        embeddings_initializer: Name or initializer of the mean vectors.
        mask_zero: Bool, whether the index 0 is padding that later layers skip.
        prior_scale: Float, standard deviation of the zero-mean normal prior.
        prior: Name, spec or `Prior`; `None` is the normal prior of `prior_scale`.
        init_scale: Float, standard deviation of the posterior at the start.
        scale_transform: `"exp"` or `"softplus"`, the function from the trained weight
            to the standard deviation.
        variational_bias: Bool, without effect, since an embedding has no bias.
        **kwargs: Other arguments of `keras.layers.Embedding`, such as
            `embeddings_regularizer` and `name`.

    Example:

        EmbeddingFlipout(1000, 32)
    """

    def __init__(self, input_dim, output_dim, embeddings_initializer="uniform", *,
                 mask_zero=False, prior_scale=1.0, prior=None, init_scale=0.01,
                 scale_transform="exp", variational_bias=False, **kwargs):
        super().__init__(input_dim=input_dim, output_dim=output_dim,
                         embeddings_initializer=embeddings_initializer,
                         mask_zero=mask_zero, prior_scale=prior_scale, prior=prior,
                         init_scale=init_scale, scale_transform=scale_transform,
                         variational_bias=variational_bias, **kwargs)


@_register
class EmbeddingLocalReparameterization(LocalReparameterization, EmbeddingMap):
    """Runs `keras.layers.Embedding` with noise of its own at each position.

    Args:
        input_dim: Integer, number of indices.
        output_dim: Integer, length of a vector.
        embeddings_initializer: Name or initializer of the mean vectors.
        mask_zero: Bool, whether the index 0 is padding that later layers skip.
        prior_scale: Float, standard deviation of the zero-mean normal prior.
        prior: Name, spec or `Prior`; `None` is the normal prior of `prior_scale`.
        init_scale: Float, standard deviation of the posterior at the start.
        scale_transform: `"exp"` or `"softplus"`, the function from the trained weight
            to the standard deviation.
        variational_bias: Bool, without effect, since an embedding has no bias.
        **kwargs: Other arguments of `keras.layers.Embedding`, such as
            `embeddings_regularizer` and `name`.

    Example:

        EmbeddingLocalReparameterization(1000, 32)
    """

    def __init__(self, input_dim, output_dim, embeddings_initializer="uniform", *,
                 mask_zero=False, prior_scale=1.0, prior=None, init_scale=0.01,
                 scale_transform="exp", variational_bias=False, **kwargs):
        super().__init__(input_dim=input_dim, output_dim=output_dim,
                         embeddings_initializer=embeddings_initializer,
                         mask_zero=mask_zero, prior_scale=prior_scale, prior=prior,
                         init_scale=init_scale, scale_transform=scale_transform,
                         variational_bias=variational_bias, **kwargs)
