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
    """Applies a kernel to each channel of images."""

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
    """Runs `keras.layers.DepthwiseConv2D` with one weight draw for the batch.

    Args:
        kernel_size: Integer or tuple of 2 integers, size of the kernel.
        strides: Integer or tuple of 2 integers, step of the kernel.
        padding: `"valid"` or `"same"`.
        depth_multiplier: Integer, output channels of each input channel.
        data_format: `"channels_last"` or `"channels_first"`; `None` is the setting of
            Keras.
        dilation_rate: Integer or tuple of 2 integers, distance of the places that the
            kernel reads.
        activation: Name or callable, applied to the outputs; `None` is linear.
        use_bias: Bool, whether a bias is added to the outputs.
        prior_scale: Float, standard deviation of the zero-mean normal prior.
        prior: Name, spec or `Prior`; `None` is the normal prior of `prior_scale`.
        init_scale: Float, standard deviation of the posterior at the start. Keep it
            well below `1 / sqrt(fan_in)`, or the noise hides the signal.
        scale_transform: `"exp"` or `"softplus"`, the function from the trained weight
            to the standard deviation.
        variational_bias: Bool, whether the bias has a posterior too. Otherwise it is a
            plain weight without a prior.
        **kwargs: Other arguments of `keras.layers.DepthwiseConv2D`, such as
            `depthwise_initializer` and `name`.

    Example:

        DepthwiseConv2DReparameterization(3, padding="same", use_bias=False)
    """

    def __init__(self, kernel_size, strides=(1, 1), padding="valid", depth_multiplier=1,
                 data_format=None, dilation_rate=(1, 1), activation=None, use_bias=True,
                 *, prior_scale=1.0, prior=None, init_scale=0.01, scale_transform="exp",
                 variational_bias=False, **kwargs):
        super().__init__(kernel_size=kernel_size, strides=strides, padding=padding,
                         depth_multiplier=depth_multiplier, data_format=data_format,
                         dilation_rate=dilation_rate, activation=activation,
                         use_bias=use_bias, prior_scale=prior_scale, prior=prior,
                         init_scale=init_scale, scale_transform=scale_transform,
                         variational_bias=variational_bias, **kwargs)


@_register
class DepthwiseConv2DFlipout(Flipout, DepthwiseMap):
    """Runs `keras.layers.DepthwiseConv2D` with one weight draw and signs for each row.

    Args:
        kernel_size: Integer or tuple of 2 integers, size of the kernel.
        strides: Integer or tuple of 2 integers, step of the kernel.
        padding: `"valid"` or `"same"`.
        depth_multiplier: Integer, output channels of each input channel.
        data_format: `"channels_last"` or `"channels_first"`; `None` is the setting of
            Keras.
        dilation_rate: Integer or tuple of 2 integers, distance of the places that the
            kernel reads.
        activation: Name or callable, applied to the outputs; `None` is linear.
        use_bias: Bool, whether a bias is added to the outputs.
        prior_scale: Float, standard deviation of the zero-mean normal prior.
        prior: Name, spec or `Prior`; `None` is the normal prior of `prior_scale`.
        init_scale: Float, standard deviation of the posterior at the start. Keep it
            well below `1 / sqrt(fan_in)`, or the noise hides the signal.
        scale_transform: `"exp"` or `"softplus"`, the function from the trained weight
            to the standard deviation.
        variational_bias: Bool, whether the bias has a posterior too. Otherwise it is a
            plain weight without a prior.
        **kwargs: Other arguments of `keras.layers.DepthwiseConv2D`, such as
            `depthwise_initializer` and `name`.

    Example:

        DepthwiseConv2DFlipout(3, padding="same", use_bias=False)
    """

    def __init__(self, kernel_size, strides=(1, 1), padding="valid", depth_multiplier=1,
                 data_format=None, dilation_rate=(1, 1), activation=None, use_bias=True,
                 *, prior_scale=1.0, prior=None, init_scale=0.01, scale_transform="exp",
                 variational_bias=False, **kwargs):
        super().__init__(kernel_size=kernel_size, strides=strides, padding=padding,
                         depth_multiplier=depth_multiplier, data_format=data_format,
                         dilation_rate=dilation_rate, activation=activation,
                         use_bias=use_bias, prior_scale=prior_scale, prior=prior,
                         init_scale=init_scale, scale_transform=scale_transform,
                         variational_bias=variational_bias, **kwargs)


@_register
class DepthwiseConv2DLocalReparameterization(LocalReparameterization, DepthwiseMap):
    """Runs `keras.layers.DepthwiseConv2D` with noise on its outputs.

    Args:
        kernel_size: Integer or tuple of 2 integers, size of the kernel.
        strides: Integer or tuple of 2 integers, step of the kernel.
        padding: `"valid"` or `"same"`.
        depth_multiplier: Integer, output channels of each input channel.
        data_format: `"channels_last"` or `"channels_first"`; `None` is the setting of
            Keras.
        dilation_rate: Integer or tuple of 2 integers, distance of the places that the
            kernel reads.
        activation: Name or callable, applied to the outputs; `None` is linear.
        use_bias: Bool, whether a bias is added to the outputs.
        prior_scale: Float, standard deviation of the zero-mean normal prior.
        prior: Name, spec or `Prior`; `None` is the normal prior of `prior_scale`.
        init_scale: Float, standard deviation of the posterior at the start. Keep it
            well below `1 / sqrt(fan_in)`, or the noise hides the signal.
        scale_transform: `"exp"` or `"softplus"`, the function from the trained weight
            to the standard deviation.
        variational_bias: Bool, whether the bias has a posterior too. Otherwise it is a
            plain weight without a prior.
        **kwargs: Other arguments of `keras.layers.DepthwiseConv2D`, such as
            `depthwise_initializer` and `name`.

    Example:

        DepthwiseConv2DLocalReparameterization(3, padding="same", use_bias=False)
    """

    def __init__(self, kernel_size, strides=(1, 1), padding="valid", depth_multiplier=1,
                 data_format=None, dilation_rate=(1, 1), activation=None, use_bias=True,
                 *, prior_scale=1.0, prior=None, init_scale=0.01, scale_transform="exp",
                 variational_bias=False, **kwargs):
        super().__init__(kernel_size=kernel_size, strides=strides, padding=padding,
                         depth_multiplier=depth_multiplier, data_format=data_format,
                         dilation_rate=dilation_rate, activation=activation,
                         use_bias=use_bias, prior_scale=prior_scale, prior=prior,
                         init_scale=init_scale, scale_transform=scale_transform,
                         variational_bias=variational_bias, **kwargs)


@_register
class DepthwiseConv2DExemplar(Exemplar, DepthwiseMap):
    """Runs `keras.layers.DepthwiseConv2D` with a weight draw for each row.

    Args:
        kernel_size: Integer or tuple of 2 integers, size of the kernel.
        strides: Integer or tuple of 2 integers, step of the kernel.
        padding: `"valid"` or `"same"`.
        depth_multiplier: Integer, output channels of each input channel.
        data_format: `"channels_last"` or `"channels_first"`; `None` is the setting of
            Keras.
        dilation_rate: Integer or tuple of 2 integers, distance of the places that the
            kernel reads.
        activation: Name or callable, applied to the outputs; `None` is linear.
        use_bias: Bool, whether a bias is added to the outputs.
        prior_scale: Float, standard deviation of the zero-mean normal prior.
        prior: Name, spec or `Prior`; `None` is the normal prior of `prior_scale`.
        init_scale: Float, standard deviation of the posterior at the start. Keep it
            well below `1 / sqrt(fan_in)`, or the noise hides the signal.
        scale_transform: `"exp"` or `"softplus"`, the function from the trained weight
            to the standard deviation.
        variational_bias: Bool, whether the bias has a posterior too. Otherwise it is a
            plain weight without a prior.
        **kwargs: Other arguments of `keras.layers.DepthwiseConv2D`, such as
            `depthwise_initializer` and `name`.

    Example:

        DepthwiseConv2DExemplar(3, padding="same", use_bias=False)
    """

    def __init__(self, kernel_size, strides=(1, 1), padding="valid", depth_multiplier=1,
                 data_format=None, dilation_rate=(1, 1), activation=None, use_bias=True,
                 *, prior_scale=1.0, prior=None, init_scale=0.01, scale_transform="exp",
                 variational_bias=False, **kwargs):
        super().__init__(kernel_size=kernel_size, strides=strides, padding=padding,
                         depth_multiplier=depth_multiplier, data_format=data_format,
                         dilation_rate=dilation_rate, activation=activation,
                         use_bias=use_bias, prior_scale=prior_scale, prior=prior,
                         init_scale=init_scale, scale_transform=scale_transform,
                         variational_bias=variational_bias, **kwargs)
