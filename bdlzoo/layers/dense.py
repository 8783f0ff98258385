"""Dense layers with a posterior over their kernel, one for each technique."""

import keras
from keras import ops

from bdlzoo.layers.exemplar import Exemplar
from bdlzoo.layers.flipout import Flipout
from bdlzoo.layers.local_reparameterization import LocalReparameterization
from bdlzoo.layers.reparameterization import Reparameterization
from bdlzoo.layers.variational_dropout import VariationalDropout

_register = keras.saving.register_keras_serializable(package="bdlzoo")


class DenseMap(keras.layers.Dense):
    """How a kernel of a dense layer acts on its inputs."""

    def build(self, input_shape):
        super().build(input_shape)
        self.input_channels, self.output_channels = self.kernel.shape
        self.one_position = len(input_shape) == 2  # Else a row has several.

    def linear(self, inputs, kernel):
        return ops.matmul(inputs, kernel)

    def linear_each(self, inputs, kernels):
        count, *_, units = ops.shape(kernels)
        stacked = ops.reshape(inputs, (count, -1, self.input_channels))
        return ops.reshape(ops.matmul(stacked, kernels),
                           (*ops.shape(inputs)[:-1], units))


@_register
class DenseReparameterization(Reparameterization, DenseMap):
    """`keras.layers.Dense` with one weight draw for the batch."""


@_register
class DenseFlipout(Flipout, DenseMap):
    """`keras.layers.Dense` with one weight draw and signs for each row."""


@_register
class DenseLocalReparameterization(LocalReparameterization, DenseMap):
    """`keras.layers.Dense` with noise on its outputs."""


@_register
class DenseExemplar(Exemplar, DenseMap):
    """`keras.layers.Dense` with a weight draw for each row."""


@_register
class DenseVariationalDropout(VariationalDropout, DenseMap):
    """`keras.layers.Dense` with a learnt dropout rate for each weight."""
