"""BatchNorm of images in one operation forwards and one backwards.

The layer of Keras makes a dozen passes over the images. In a cell of small operations
they take as long as the convolutions. This layer has the same weights, outputs and
moving averages.
"""

import keras
import tensorflow as tf


@keras.saving.register_keras_serializable(package="bdlzoo")
class FusedNormalization(keras.layers.BatchNormalization):
    """Normalises images `[B, H, W, C]` as `keras.layers.BatchNormalization` does.

    Args:
        **kwargs: Arguments of `keras.layers.BatchNormalization`.
    """

    def call(self, inputs, training=None):
        if not training or not self.trainable:
            return super().call(inputs, training=False)
        channels = inputs.shape[-1]
        outputs, mean, variance, *_ = tf.raw_ops.FusedBatchNormV3(
            x=inputs, scale=_float32(self.gamma) if self.scale else tf.ones([channels]),
            offset=_float32(self.beta) if self.center else tf.zeros([channels]),
            mean=tf.zeros([0]), variance=tf.zeros([0]), epsilon=self.epsilon,
            is_training=True)
        # The operation gives the unbiased variance, Keras keeps the biased one.
        rows = tf.cast(tf.size(inputs) // channels, tf.float32)
        self.move(mean, variance * (rows - 1.0) / rows)
        return outputs

    def move(self, mean, variance):
        """Moves the averages towards the moments of a batch."""
        for average, moment in ((self.moving_mean, mean),
                                (self.moving_variance, variance)):
            average.assign_sub((average - moment) * (1.0 - self.momentum))


def stock_layer(layer):
    """A new layer of Keras with the same config, for models without this package.

    Args:
        layer: Keras layer; a `FusedNormalization` becomes
            `keras.layers.BatchNormalization`.

    Returns:
        Keras layer, not yet built.
    """
    kind = keras.layers.BatchNormalization if isinstance(
        layer, FusedNormalization) else type(layer)
    return kind.from_config(layer.get_config())


def plain_norm(norm, weights):
    """`keras.layers.BatchNormalization` like `norm`, paired with its weights."""
    layer = keras.layers.BatchNormalization(center=norm.center, scale=norm.scale,
                                            epsilon=norm.epsilon)
    return layer, weights


def _float32(variable):
    return tf.cast(variable, tf.float32)
