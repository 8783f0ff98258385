"""Dense layers with a posterior over their kernel, one for each technique."""

import math

import keras
from keras import ops

from bdlzoo.layers.exemplar import Exemplar
from bdlzoo.layers.flipout import Flipout
from bdlzoo.layers.local_reparameterization import LocalReparameterization
from bdlzoo.layers.reparameterization import Reparameterization
from bdlzoo.layers.variational_dropout import VariationalDropout

_register = keras.saving.register_keras_serializable(package="bdlzoo")


class DenseMap(keras.layers.Dense):
    """Applies kernels to the last axis of inputs."""

    def build(self, input_shape):
        super().build(input_shape)
        self.input_channels, self.output_channels = self.kernel.shape
        self.one_position = len(input_shape) == 2  # Otherwise a row has several.

    def linear(self, inputs, kernel):
        return ops.matmul(inputs, kernel)

    def linear_each(self, inputs, kernels):
        count, *_, units = ops.shape(kernels)
        stacked = ops.reshape(inputs, (count, -1, self.input_channels))
        return ops.reshape(ops.matmul(stacked, kernels),
                           (*ops.shape(inputs)[:-1], units))


@_register
class DenseReparameterization(Reparameterization, DenseMap):
    """Runs `keras.layers.Dense` with one weight draw for the batch.

    Args:
        units: Integer, size of the outputs.
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
        **kwargs: Other arguments of `keras.layers.Dense`, such as `kernel_initializer`
            and `name`.

    Example:

        DenseReparameterization(10, prior_scale=0.5)
    """

    def __init__(self, units, activation=None, use_bias=True, *, prior_scale=1.0,
                 prior=None, init_scale=0.01, scale_transform="exp",
                 variational_bias=False, **kwargs):
        super().__init__(units=units, activation=activation, use_bias=use_bias,
                         prior_scale=prior_scale, prior=prior, init_scale=init_scale,
                         scale_transform=scale_transform,
                         variational_bias=variational_bias, **kwargs)


@_register
class DenseFlipout(Flipout, DenseMap):
    """Runs `keras.layers.Dense` with one weight draw and signs for each row.

    Args:
        units: Integer, size of the outputs.
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
        **kwargs: Other arguments of `keras.layers.Dense`, such as `kernel_initializer`
            and `name`.

    Example:

        DenseFlipout(10, prior_scale=0.5)
    """

    def __init__(self, units, activation=None, use_bias=True, *, prior_scale=1.0,
                 prior=None, init_scale=0.01, scale_transform="exp",
                 variational_bias=False, **kwargs):
        super().__init__(units=units, activation=activation, use_bias=use_bias,
                         prior_scale=prior_scale, prior=prior, init_scale=init_scale,
                         scale_transform=scale_transform,
                         variational_bias=variational_bias, **kwargs)


@_register
class DenseLocalReparameterization(LocalReparameterization, DenseMap):
    """Runs `keras.layers.Dense` with noise on its outputs.

    Args:
        units: Integer, size of the outputs.
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
        **kwargs: Other arguments of `keras.layers.Dense`, such as `kernel_initializer`
            and `name`.

    Example:

        DenseLocalReparameterization(10, prior_scale=0.5)
    """

    def __init__(self, units, activation=None, use_bias=True, *, prior_scale=1.0,
                 prior=None, init_scale=0.01, scale_transform="exp",
                 variational_bias=False, **kwargs):
        super().__init__(units=units, activation=activation, use_bias=use_bias,
                         prior_scale=prior_scale, prior=prior, init_scale=init_scale,
                         scale_transform=scale_transform,
                         variational_bias=variational_bias, **kwargs)


@_register
class DenseExemplar(Exemplar, DenseMap):
    """Runs `keras.layers.Dense` with a weight draw for each row.

    Args:
        units: Integer, size of the outputs.
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
        **kwargs: Other arguments of `keras.layers.Dense`, such as `kernel_initializer`
            and `name`.

    Example:

        DenseExemplar(10, prior_scale=0.5)
    """

    def __init__(self, units, activation=None, use_bias=True, *, prior_scale=1.0,
                 prior=None, init_scale=0.01, scale_transform="exp",
                 variational_bias=False, **kwargs):
        super().__init__(units=units, activation=activation, use_bias=use_bias,
                         prior_scale=prior_scale, prior=prior, init_scale=init_scale,
                         scale_transform=scale_transform,
                         variational_bias=variational_bias, **kwargs)


@_register
class DenseVariationalDropout(VariationalDropout, DenseMap):
    """Runs `keras.layers.Dense` with a learnt dropout rate for each weight.

    Args:
        units: Integer, size of the outputs.
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
        **kwargs: Other arguments of `keras.layers.Dense`, such as `kernel_initializer`
            and `name`.

    Example:

        DenseVariationalDropout(10, prior_scale=0.5)
    """

    def __init__(self, units, activation=None, use_bias=True, *, prior_scale=1.0,
                 prior="LogUniformPrior", init_scale=math.exp(-5.0),
                 scale_transform="exp", variational_bias=False, **kwargs):
        super().__init__(units=units, activation=activation, use_bias=use_bias,
                         prior_scale=prior_scale, prior=prior, init_scale=init_scale,
                         scale_transform=scale_transform,
                         variational_bias=variational_bias, **kwargs)
