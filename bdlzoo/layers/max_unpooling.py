"""Unpooling: the inverse of max pooling, which remembers where the maxima were.

    y[i, j] = x[i // 2, j // 2]    if features[i, j] is the maximum of its 2 x 2 pixels
    y[i, j] = 0                    elsewhere

Reference: Badrinarayanan et al., SegNet: A Deep Convolutional Encoder-Decoder
Architecture for Image Segmentation, 2017.
"""

import keras
import tensorflow as tf


@keras.saving.register_keras_serializable(package="bdlzoo")
class MaxUnpooling(keras.layers.Layer):
    """Puts values where the maxima of a pooling of 2 x 2 pixels were.

    Of equal maxima, the first takes the value. Sides may be odd: a block at the end
    then has fewer pixels, as in a pooling with `padding="same"`.

    Args:
        **kwargs: Arguments of `keras.layers.Layer`, such as `name`.

    Call arguments:
        inputs: Pair of tensors with the same channels: values
            `[B, ceil(H / 2), ceil(W / 2), C]`, and the features `[B, H, W, C]` that
            were pooled.

    Returns:
        Tensor in the shape of the features.

    Example:

        pooled = keras.layers.MaxPooling2D(2, padding="same")(x)
        x = MaxUnpooling()([pooled, x])
    """

    def __init__(self, **kwargs):
        super().__init__(**kwargs)

    def build(self, input_shape):
        (_, *small), (_, *large) = input_shape
        halves = [-(-side // 2) for side in large[:2]]
        if small != [*halves, large[2]]:
            raise ValueError(
                f"Expected values of shape {(None, *halves, large[2])} for features of "
                f"shape {(None, *large)}. Received: values of shape {(None, *small)}")

    def call(self, inputs):
        values, features = inputs
        height, width, channels = features.shape[1:]
        down, right = -(-height // 2), -(-width // 2)
        edges = [[0, 0], [0, 2 * down - height], [0, 2 * right - width], [0, 0]]
        padded = tf.pad(features, edges, constant_values=features.dtype.min)
        blocks = tf.transpose(tf.reshape(
            padded, [-1, down, 2, right, 2, channels]), [0, 1, 3, 5, 2, 4])
        # Of the four pixels of a block, the place of the first maximum.
        place = tf.argmax(tf.reshape(blocks, [-1, down, right, channels, 4]), axis=-1)
        here = tf.one_hot(place, 4, dtype=values.dtype) * values[..., None]
        spread = tf.transpose(tf.reshape(
            here, [-1, down, right, channels, 2, 2]), [0, 1, 4, 2, 5, 3])
        whole = tf.reshape(spread, [-1, 2 * down, 2 * right, channels])
        return whole[:, :height, :width]

    def compute_output_shape(self, input_shape):
        return input_shape[1]
