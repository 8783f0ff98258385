"""Convolutions with a posterior over their kernel, one for each technique."""

import keras
from keras import ops

from bdlzoo.layers.exemplar import Exemplar
from bdlzoo.layers.flipout import Flipout
from bdlzoo.layers.local_reparameterization import LocalReparameterization
from bdlzoo.layers.patches import patches
from bdlzoo.layers.reparameterization import Reparameterization
from bdlzoo.layers.variational_dropout import VariationalDropout

_register = keras.saving.register_keras_serializable(package="bdlzoo")


class ConvolutionMap:
    """How a kernel of a convolution acts on its inputs, whatever its rank."""

    one_position = False  # A kernel meets many positions of a row.

    def build(self, input_shape):
        if self.groups > 1:
            # Plain TensorFlow has no gradient of grouped convolutions on CPU,
            # and kernels that differ over a batch are multiplied as matrices.
            raise ValueError("Expected one group of channels: leave this layer "
                             f"as it is. Received: groups={self.groups}")
        super().build(input_shape)
        first = self.data_format == "channels_first"
        self.input_channels = input_shape[1 if first else -1]
        self.output_channels = self.filters

    def linear(self, inputs, kernel):
        inputs, padding = self._padded(inputs)
        return ops.conv(inputs, kernel, strides=list(self.strides),
                        padding=padding, dilation_rate=self.dilation_rate,
                        data_format=self.data_format)

    def linear_each(self, inputs, kernels):
        inputs, padding = self._padded(inputs)
        first = self.data_format == "channels_first"
        if first:
            inputs = ops.moveaxis(inputs, 1, -1)
        seen = patches(inputs, self.kernel_size, self.strides, padding,
                       self.dilation_rate)  # [K * B, *positions, places, C]
        count, places = ops.shape(kernels)[0], seen.shape[-2] * seen.shape[-1]
        outputs = ops.matmul(ops.reshape(seen, (count, -1, places)),
                             ops.reshape(kernels, (count, places, self.filters)))
        outputs = ops.reshape(outputs, (*ops.shape(seen)[:-2], self.filters))
        return ops.moveaxis(outputs, -1, 1) if first else outputs

    def _padded(self, inputs):
        """Inputs and padding in the words of `ops.conv`, which lacks causal."""
        if self.padding != "causal":
            return inputs, self.padding
        ahead = (self.dilation_rate[0] * (self.kernel_size[0] - 1), 0)
        last = self.data_format == "channels_last"
        return ops.pad(inputs, [(0, 0), ahead, (0, 0)] if last
                       else [(0, 0), (0, 0), ahead]), "valid"


@_register
class Conv1DReparameterization(Reparameterization, ConvolutionMap,
                               keras.layers.Conv1D):
    """`keras.layers.Conv1D` with one weight draw for the batch."""


@_register
class Conv1DFlipout(Flipout, ConvolutionMap, keras.layers.Conv1D):
    """`keras.layers.Conv1D` with one weight draw and signs for each row."""


@_register
class Conv1DLocalReparameterization(LocalReparameterization, ConvolutionMap,
                                    keras.layers.Conv1D):
    """`keras.layers.Conv1D` with noise on its outputs."""


@_register
class Conv1DExemplar(Exemplar, ConvolutionMap, keras.layers.Conv1D):
    """`keras.layers.Conv1D` with a weight draw for each row."""


@_register
class Conv1DVariationalDropout(VariationalDropout, ConvolutionMap,
                               keras.layers.Conv1D):
    """`keras.layers.Conv1D` with a learnt dropout rate for each weight."""


@_register
class Conv2DReparameterization(Reparameterization, ConvolutionMap,
                               keras.layers.Conv2D):
    """`keras.layers.Conv2D` with one weight draw for the batch."""


@_register
class Conv2DFlipout(Flipout, ConvolutionMap, keras.layers.Conv2D):
    """`keras.layers.Conv2D` with one weight draw and signs for each row."""


@_register
class Conv2DLocalReparameterization(LocalReparameterization, ConvolutionMap,
                                    keras.layers.Conv2D):
    """`keras.layers.Conv2D` with noise on its outputs."""


@_register
class Conv2DExemplar(Exemplar, ConvolutionMap, keras.layers.Conv2D):
    """`keras.layers.Conv2D` with a weight draw for each row."""


@_register
class Conv2DVariationalDropout(VariationalDropout, ConvolutionMap,
                               keras.layers.Conv2D):
    """`keras.layers.Conv2D` with a learnt dropout rate for each weight."""


@_register
class Conv3DReparameterization(Reparameterization, ConvolutionMap,
                               keras.layers.Conv3D):
    """`keras.layers.Conv3D` with one weight draw for the batch."""


@_register
class Conv3DFlipout(Flipout, ConvolutionMap, keras.layers.Conv3D):
    """`keras.layers.Conv3D` with one weight draw and signs for each row."""


@_register
class Conv3DLocalReparameterization(LocalReparameterization, ConvolutionMap,
                                    keras.layers.Conv3D):
    """`keras.layers.Conv3D` with noise on its outputs."""


@_register
class Conv3DExemplar(Exemplar, ConvolutionMap, keras.layers.Conv3D):
    """`keras.layers.Conv3D` with a weight draw for each row."""


@_register
class Conv3DVariationalDropout(VariationalDropout, ConvolutionMap,
                               keras.layers.Conv3D):
    """`keras.layers.Conv3D` with a learnt dropout rate for each weight."""
