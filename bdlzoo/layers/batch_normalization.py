"""Batch normalisation with frozen statistics and a posterior over its affine map.

    outputs = (x - moving_mean) / sqrt(moving_variance + epsilon) * gamma + beta

The statistics are those of a trained network, and stay: collected under drawn
weights they would be those of no network. Scale and shift are the kernel and the
bias of a variational layer. For channels last.
"""

import keras
import tensorflow as tf
from keras import ops

from bdlzoo.layers.exemplar import Exemplar
from bdlzoo.layers.flipout import Flipout

_register = keras.saving.register_keras_serializable(package="bdlzoo")


class BatchNormalizationMap(keras.layers.BatchNormalization):
    """How a scale acts on inputs that are normalised by the statistics."""

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
                "Expected batch normalisation of the last axis, with a scale: leave "
                f"this layer as it is. Received: axis={self.axis}, "
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
    """Takes what a call of Keras' layer takes: it has no say in the statistics."""

    def call(self, inputs, training=None, mask=None):
        del training, mask
        return super().call(inputs)


@_register
class BatchNormalizationFlipout(_Frozen, Flipout, BatchNormalizationMap):
    """`keras.layers.BatchNormalization`, one draw and signs for each row."""


@_register
class BatchNormalizationExemplar(_Frozen, Exemplar, BatchNormalizationMap):
    """`keras.layers.BatchNormalization` with a draw for each row."""
