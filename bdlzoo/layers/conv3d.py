"""Convolutions of volumes `[B, depth, H, W, C]` with a posterior over their kernel."""

import math

import keras

from bdlzoo.layers.convolution import ConvolutionMap
from bdlzoo.layers.exemplar import Exemplar
from bdlzoo.layers.flipout import Flipout
from bdlzoo.layers.local_reparameterization import LocalReparameterization
from bdlzoo.layers.reparameterization import Reparameterization
from bdlzoo.layers.variational_dropout import VariationalDropout

_register = keras.saving.register_keras_serializable(package="bdlzoo")


@_register
class Conv3DReparameterization(Reparameterization, ConvolutionMap, keras.layers.Conv3D):
    """Runs `keras.layers.Conv3D` with one weight draw for the batch.

    Args:
        filters: Integer, number of output channels.
        kernel_size: Integer or tuple of 3 integers, size of the kernel.
        strides: Integer or tuple of 3 integers, step of the kernel.
        padding: `"valid"` or `"same"`.
        data_format: `"channels_last"` or `"channels_first"`; `None` is the setting of
            Keras.
        dilation_rate: Integer or tuple of 3 integers, distance of the places that the
            kernel reads.
        groups: Integer, groups of channels; only 1 is supported.
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
        **kwargs: Other arguments of `keras.layers.Conv3D`, such as `kernel_initializer`
            and `name`.

    Example:

        Conv3DReparameterization(8, 3, activation="relu")
    """

    def __init__(self, filters, kernel_size, strides=(1, 1, 1), padding="valid",
                 data_format=None, dilation_rate=(1, 1, 1), groups=1, activation=None,
                 use_bias=True, *, prior_scale=1.0, prior=None, init_scale=0.01,
                 scale_transform="exp", variational_bias=False, **kwargs):
        super().__init__(filters=filters, kernel_size=kernel_size, strides=strides,
                         padding=padding, data_format=data_format,
                         dilation_rate=dilation_rate, groups=groups,
                         activation=activation, use_bias=use_bias,
                         prior_scale=prior_scale, prior=prior, init_scale=init_scale,
                         scale_transform=scale_transform,
                         variational_bias=variational_bias, **kwargs)


@_register
class Conv3DFlipout(Flipout, ConvolutionMap, keras.layers.Conv3D):
    """Runs `keras.layers.Conv3D` with one weight draw and signs for each row.

    Args:
        filters: Integer, number of output channels.
        kernel_size: Integer or tuple of 3 integers, size of the kernel.
        strides: Integer or tuple of 3 integers, step of the kernel.
        padding: `"valid"` or `"same"`.
        data_format: `"channels_last"` or `"channels_first"`; `None` is the setting of
            Keras.
        dilation_rate: Integer or tuple of 3 integers, distance of the places that the
            kernel reads.
        groups: Integer, groups of channels; only 1 is supported.
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
        **kwargs: Other arguments of `keras.layers.Conv3D`, such as `kernel_initializer`
            and `name`.

    Example:

        Conv3DFlipout(8, 3, activation="relu")
    """

    def __init__(self, filters, kernel_size, strides=(1, 1, 1), padding="valid",
                 data_format=None, dilation_rate=(1, 1, 1), groups=1, activation=None,
                 use_bias=True, *, prior_scale=1.0, prior=None, init_scale=0.01,
                 scale_transform="exp", variational_bias=False, **kwargs):
        super().__init__(filters=filters, kernel_size=kernel_size, strides=strides,
                         padding=padding, data_format=data_format,
                         dilation_rate=dilation_rate, groups=groups,
                         activation=activation, use_bias=use_bias,
                         prior_scale=prior_scale, prior=prior, init_scale=init_scale,
                         scale_transform=scale_transform,
                         variational_bias=variational_bias, **kwargs)


@_register
class Conv3DLocalReparameterization(LocalReparameterization, ConvolutionMap,
                                    keras.layers.Conv3D):
    """Runs `keras.layers.Conv3D` with noise on its outputs.

    Args:
        filters: Integer, number of output channels.
        kernel_size: Integer or tuple of 3 integers, size of the kernel.
        strides: Integer or tuple of 3 integers, step of the kernel.
        padding: `"valid"` or `"same"`.
        data_format: `"channels_last"` or `"channels_first"`; `None` is the setting of
            Keras.
        dilation_rate: Integer or tuple of 3 integers, distance of the places that the
            kernel reads.
        groups: Integer, groups of channels; only 1 is supported.
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
        **kwargs: Other arguments of `keras.layers.Conv3D`, such as `kernel_initializer`
            and `name`.

    Example:

        Conv3DLocalReparameterization(8, 3, activation="relu")
    """

    def __init__(self, filters, kernel_size, strides=(1, 1, 1), padding="valid",
                 data_format=None, dilation_rate=(1, 1, 1), groups=1, activation=None,
                 use_bias=True, *, prior_scale=1.0, prior=None, init_scale=0.01,
                 scale_transform="exp", variational_bias=False, **kwargs):
        super().__init__(filters=filters, kernel_size=kernel_size, strides=strides,
                         padding=padding, data_format=data_format,
                         dilation_rate=dilation_rate, groups=groups,
                         activation=activation, use_bias=use_bias,
                         prior_scale=prior_scale, prior=prior, init_scale=init_scale,
                         scale_transform=scale_transform,
                         variational_bias=variational_bias, **kwargs)


@_register
class Conv3DExemplar(Exemplar, ConvolutionMap, keras.layers.Conv3D):
    """Runs `keras.layers.Conv3D` with a weight draw for each row.

    Args:
        filters: Integer, number of output channels.
        kernel_size: Integer or tuple of 3 integers, size of the kernel.
        strides: Integer or tuple of 3 integers, step of the kernel.
        padding: `"valid"` or `"same"`.
        data_format: `"channels_last"` or `"channels_first"`; `None` is the setting of
            Keras.
        dilation_rate: Integer or tuple of 3 integers, distance of the places that the
            kernel reads.
        groups: Integer, groups of channels; only 1 is supported.
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
        **kwargs: Other arguments of `keras.layers.Conv3D`, such as `kernel_initializer`
            and `name`.

    Example:

        Conv3DExemplar(8, 3, activation="relu")
    """

    def __init__(self, filters, kernel_size, strides=(1, 1, 1), padding="valid",
                 data_format=None, dilation_rate=(1, 1, 1), groups=1, activation=None,
                 use_bias=True, *, prior_scale=1.0, prior=None, init_scale=0.01,
                 scale_transform="exp", variational_bias=False, **kwargs):
        super().__init__(filters=filters, kernel_size=kernel_size, strides=strides,
                         padding=padding, data_format=data_format,
                         dilation_rate=dilation_rate, groups=groups,
                         activation=activation, use_bias=use_bias,
                         prior_scale=prior_scale, prior=prior, init_scale=init_scale,
                         scale_transform=scale_transform,
                         variational_bias=variational_bias, **kwargs)


@_register
class Conv3DVariationalDropout(VariationalDropout, ConvolutionMap, keras.layers.Conv3D):
    """Runs `keras.layers.Conv3D` with a learnt dropout rate for each weight.

    Args:
        filters: Integer, number of output channels.
        kernel_size: Integer or tuple of 3 integers, size of the kernel.
        strides: Integer or tuple of 3 integers, step of the kernel.
        padding: `"valid"` or `"same"`.
        data_format: `"channels_last"` or `"channels_first"`; `None` is the setting of
            Keras.
        dilation_rate: Integer or tuple of 3 integers, distance of the places that the
            kernel reads.
        groups: Integer, groups of channels; only 1 is supported.
        activation: Name or callable, applied to the outputs; `None` is linear.
        use_bias: Bool, whether a bias is added to the outputs.
        prior_scale: Float, without effect, since the log-uniform prior has no scale.
        prior: Name, spec or object of the log-uniform prior, the only one that is
            allowed.
        init_scale: Float, standard deviation of the posterior at the start.
        scale_transform: `"exp"` or `"softplus"`, the function from the trained weight
            to the standard deviation.
        variational_bias: Bool, whether the bias has a posterior too. Otherwise it is a
            plain weight without a prior.
        **kwargs: Other arguments of `keras.layers.Conv3D`, such as `kernel_initializer`
            and `name`.

    Example:

        Conv3DVariationalDropout(8, 3, activation="relu")
    """

    def __init__(self, filters, kernel_size, strides=(1, 1, 1), padding="valid",
                 data_format=None, dilation_rate=(1, 1, 1), groups=1, activation=None,
                 use_bias=True, *, prior_scale=1.0, prior="LogUniformPrior",
                 init_scale=math.exp(-5.0), scale_transform="exp",
                 variational_bias=False, **kwargs):
        super().__init__(filters=filters, kernel_size=kernel_size, strides=strides,
                         padding=padding, data_format=data_format,
                         dilation_rate=dilation_rate, groups=groups,
                         activation=activation, use_bias=use_bias,
                         prior_scale=prior_scale, prior=prior, init_scale=init_scale,
                         scale_transform=scale_transform,
                         variational_bias=variational_bias, **kwargs)
