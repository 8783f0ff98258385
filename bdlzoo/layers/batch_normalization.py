"""Batch normalisation with frozen statistics and a posterior over its affine map.

    outputs = (x - moving_mean) / sqrt(moving_variance + epsilon) * gamma + beta

The statistics are those of a trained network and do not change: statistics that are
collected under drawn weights fit no single network. Scale and shift are the kernel
and the bias of a variational layer. The channels must be the last axis.
"""

import keras
import tensorflow as tf
from keras import ops

from bdlzoo.layers.exemplar import Exemplar
from bdlzoo.layers.flipout import Flipout

_register = keras.saving.register_keras_serializable(package="bdlzoo")


class BatchNormalizationMap(keras.layers.BatchNormalization):
    """Normalises inputs by the stored statistics, and applies scales to them."""

    one_position = False
    input_channels = None  # An output reads one channel: its own sign is enough.

    @property
    def kernel(self):
        return self.gamma

    @property
    def bias(self):
        return self.beta

    @property
    def use_bias(self):
        return self.center

    def build(self, input_shape):
        if not self.scale or self.axis not in (-1, len(input_shape) - 1):
            raise ValueError(
                "Expected batch normalisation of the last axis, with a scale: use the "
                f"layer of Keras otherwise. Received: axis={self.axis}, "
                f"scale={self.scale}")
        super().build(input_shape)
        self.output_channels = input_shape[-1]

    def linear(self, inputs, kernel):
        return self._normalised(inputs) * kernel

    def linear_each(self, inputs, kernels):
        rows = ops.repeat(kernels, ops.shape(inputs)[0] // ops.shape(kernels)[0],
                          axis=0)
        return self._normalised(inputs) * self.spread(rows, len(inputs.shape))

    def _normalised(self, inputs):
        # In float32, as Keras does: statistics are coarse in half precision.
        mean, variance = (tf.cast(statistic, tf.float32) for statistic
                          in (self.moving_mean, self.moving_variance))
        wide = (tf.cast(inputs, tf.float32) - mean) * tf.math.rsqrt(
            variance + self.epsilon)
        return tf.cast(wide, self.compute_dtype)


class _Frozen:
    """Accepts the call arguments of Keras' layer, which have no effect here."""

    def call(self, inputs, training=None, mask=None):
        del training, mask
        return super().call(inputs)


@_register
class BatchNormalizationFlipout(_Frozen, Flipout, BatchNormalizationMap):
    """`keras.layers.BatchNormalization` with one weight draw and signs for each row.

    Args:
        axis: Integer, axis of the channels; only the last one is supported.
        momentum: Float, without effect, since the moving averages do not change.
        epsilon: Float, added to the variance.
        center: Bool, whether a shift is added.
        scale: Bool, whether there is a scale, which must be `True`.
        prior_scale: Float, standard deviation of the zero-mean normal prior.
        prior: Name, spec or `Prior`; `None` is the normal prior of `prior_scale`.
        init_scale: Float, standard deviation of the posterior at the start.
        scale_transform: `"exp"` or `"softplus"`, the function from the trained weight
            to the standard deviation.
        variational_bias: Bool, whether the shift has a posterior too. Otherwise it is a
            plain weight without a prior.
        **kwargs: Other arguments of `keras.layers.BatchNormalization`, such as
            `gamma_initializer` and `name`.

    Example:

        BatchNormalizationFlipout(init_scale=1e-3)
    """

    def __init__(self, axis=-1, momentum=0.99, epsilon=1e-3, center=True, scale=True, *,
                 prior_scale=1.0, prior=None, init_scale=0.01, scale_transform="exp",
                 variational_bias=False, **kwargs):
        super().__init__(axis=axis, momentum=momentum, epsilon=epsilon, center=center,
                         scale=scale, prior_scale=prior_scale, prior=prior,
                         init_scale=init_scale, scale_transform=scale_transform,
                         variational_bias=variational_bias, **kwargs)


@_register
class BatchNormalizationExemplar(_Frozen, Exemplar, BatchNormalizationMap):
    """Runs `keras.layers.BatchNormalization` with a weight draw for each row.

    Args:
        axis: Integer, axis of the channels; only the last one is supported.
        momentum: Float, without effect, since the moving averages do not change.
        epsilon: Float, added to the variance.
        center: Bool, whether a shift is added.
        scale: Bool, whether there is a scale, which must be `True`.
        prior_scale: Float, standard deviation of the zero-mean normal prior.
        prior: Name, spec or `Prior`; `None` is the normal prior of `prior_scale`.
        init_scale: Float, standard deviation of the posterior at the start.
        scale_transform: `"exp"` or `"softplus"`, the function from the trained weight
            to the standard deviation.
        variational_bias: Bool, whether the shift has a posterior too. Otherwise it is a
            plain weight without a prior.
        **kwargs: Other arguments of `keras.layers.BatchNormalization`, such as
            `gamma_initializer` and `name`.

    Example:

        BatchNormalizationExemplar(init_scale=1e-3)
    """

    def __init__(self, axis=-1, momentum=0.99, epsilon=1e-3, center=True, scale=True, *,
                 prior_scale=1.0, prior=None, init_scale=0.01, scale_transform="exp",
                 variational_bias=False, **kwargs):
        super().__init__(axis=axis, momentum=momentum, epsilon=epsilon, center=center,
                         scale=scale, prior_scale=prior_scale, prior=prior,
                         init_scale=init_scale, scale_transform=scale_transform,
                         variational_bias=variational_bias, **kwargs)
