"""Depthwise convolutions with a posterior over their kernel."""

import keras
from keras import ops

from bdlzoo.layers.exemplar import Exemplar
from bdlzoo.layers.flipout import Flipout
from bdlzoo.layers.local_reparameterization import LocalReparameterization
from bdlzoo.layers.patches import patches
from bdlzoo.layers.reparameterization import Reparameterization

_register = keras.saving.register_keras_serializable(package="bdlzoo")


class DepthwiseMap(keras.layers.DepthwiseConv2D):
    """How a kernel of a depthwise convolution acts on its inputs."""

    one_position = False
    # An output reads one channel, so that its own sign is enough for Flipout.
    input_channels = None

    def build(self, input_shape):
        super().build(input_shape)
        self.output_channels = self.kernel.shape[-2] * self.kernel.shape[-1]

    def linear(self, inputs, kernel):
        return ops.depthwise_conv(
            inputs, kernel, strides=self.strides, padding=self.padding,
            dilation_rate=self.dilation_rate, data_format=self.data_format)

    def linear_each(self, inputs, kernels):
        first = self.data_format == "channels_first"
        if first:
            inputs = ops.moveaxis(inputs, 1, -1)
        seen = patches(inputs, self.kernel_size, self.strides, self.padding,
                       self.dilation_rate)  # [K * B, *positions, places, C]
        count, *_, channels, multiplier = ops.shape(kernels)
        places = seen.shape[-2]
        outputs = ops.einsum(
            "knpc,kpcm->kncm",
            ops.reshape(seen, (count, -1, places, channels)),
            ops.reshape(kernels, (count, places, channels, multiplier)))
        outputs = ops.reshape(
            outputs, (*ops.shape(seen)[:-2], self.output_channels))
        return ops.moveaxis(outputs, -1, 1) if first else outputs


@_register
class DepthwiseConv2DReparameterization(Reparameterization, DepthwiseMap):
    """`keras.layers.DepthwiseConv2D` with one weight draw for the batch."""


@_register
class DepthwiseConv2DFlipout(Flipout, DepthwiseMap):
    """`keras.layers.DepthwiseConv2D` with one draw and signs for each row."""


@_register
class DepthwiseConv2DLocalReparameterization(LocalReparameterization,
                                             DepthwiseMap):
    """`keras.layers.DepthwiseConv2D` with noise on its outputs."""


@_register
class DepthwiseConv2DExemplar(Exemplar, DepthwiseMap):
    """`keras.layers.DepthwiseConv2D` with a weight draw for each row."""
