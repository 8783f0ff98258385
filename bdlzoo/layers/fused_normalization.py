"""BatchNorm of images in one kernel forwards and one backwards.

The layer of Keras is written in a dozen passes over the images, which in a cell of
small operations take as long as the convolutions. This one has its weights, its
numbers and its averages.
"""

import keras
import tensorflow as tf


@keras.saving.register_keras_serializable(package="bdlzoo")
class FusedNormalization(keras.layers.BatchNormalization):
    """Normalises images `[B, H, W, C]` as `keras.layers.BatchNormalization` does.

    Args:
        **kwargs: See `keras.layers.BatchNormalization`.
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
        # The kernel says what the variance of more rows would be, Keras that of these.
        rows = tf.cast(tf.size(inputs) // channels, tf.float32)
        self.move(mean, variance * (rows - 1.0) / rows)
        return outputs

    def move(self, mean, variance):
        """Moves the averages towards the moments of a batch."""
        for average, moment in ((self.moving_mean, mean),
                                (self.moving_variance, variance)):
            average.assign_sub((average - moment) * (1.0 - self.momentum))


def stock_layer(layer):
    """A layer of the same config, which does not need this package.

    Args:
        layer: Keras layer; a `FusedNormalization` becomes that of Keras.
    """
    kind = keras.layers.BatchNormalization if isinstance(
        layer, FusedNormalization) else type(layer)
    return kind.from_config(layer.get_config())


def _float32(variable):
    return tf.cast(variable, tf.float32)
