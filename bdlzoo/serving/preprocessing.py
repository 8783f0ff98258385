"""Keras models that turn the inputs of requests into rows, in the served graph.

    model.export("served/digits", preprocessing=preprocessing.image_bytes((8, 8, 1)))

Any other Keras model with one input can be used too.
"""

import keras
import numpy as np
import tensorflow as tf


def standardized(mean, std):
    """Standardises rows in raw units: `(rows - mean) / std`.

    Args:
        mean: Array in the shape of a row.
        std: Array in the same shape, or a number.
    """
    mean = np.asarray(mean, "float32")
    variance = np.broadcast_to(np.square(std), mean.shape)
    return keras.Sequential([
        keras.Input(mean.shape, name="inputs"),
        keras.layers.Normalization(
            axis=tuple(range(1, mean.ndim + 1)), mean=mean, variance=variance)])


def pixels(shape):
    """Turns images of whole numbers from 0 to 255 into floats in [0, 1].

    Args:
        shape: Tuple of integers, `(height, width, channels)`.
    """
    return keras.Sequential([keras.Input(shape, dtype="uint8", name="inputs"),
                             keras.layers.Rescaling(1 / 255)])


def image_bytes(shape):
    """Turns image files, JPEG or PNG of any size, into floats in [0, 1].

    The input has the name `image_bytes`, because over REST TF Serving reads inputs
    whose name ends in `_bytes` as base64, `{"b64": "..."}`.

    Args:
        shape: Tuple of integers, `(height, width, channels)`. Images are resized to
            it; one channel means grey, three mean colour.
    """
    if len(shape) != 3 or shape[-1] not in (1, 3):
        raise ValueError("Expected the shape of an image of 1 or 3 channels, (height, "
                         f"width, channels). Received: shape={shape}")
    files = keras.Input((), dtype="string", name="image_bytes")
    return keras.Model(files, _DecodedImages(shape)(files))


class _DecodedImages(keras.layers.Layer):
    """Decodes and resizes files one by one, because their sizes differ."""

    def __init__(self, shape):
        super().__init__(trainable=False, dtype="float32", autocast=False)
        self.shape = tuple(shape)

    def call(self, files):
        height, width, channels = self.shape

        def one(file):
            image = tf.io.decode_image(file, channels, expand_animations=False)
            image = tf.image.resize(image, (height, width), antialias=True)
            return tf.ensure_shape(image / 255.0, self.shape)

        return tf.map_fn(one, files, fn_output_signature=tf.float32)

    def compute_output_spec(self, files):
        return keras.KerasTensor((files.shape[0], *self.shape), "float32")
