"""Motion blur, like that of a moving camera.

    mean of the image over a path of 1 + amount * side pixels

The path runs along the rows or along the columns, at random for each image.
"""

import math

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.corruptions.corruption import Corruption, shorter_side, smooth


@keras.saving.register_keras_serializable(package="bdlzoo")
class MotionBlur(Corruption):
    """Blurs along one axis.

    Args:
        severity: Integer from 1 (mild) to 5 (severe).
        seed: Integer, seed of the noise.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `name`.

    Example:

        images = MotionBlur(severity=3)(images)
    """

    amounts = (0.06, 0.12, 0.18, 0.24, 0.3)

    def __init__(self, severity=1, seed=0, **kwargs):
        super().__init__(severity, seed, **kwargs)

    def corrupt(self, images):
        weights = kernel(1.0 + self.amount * shorter_side(images))
        upright = self.signs(images, 1)[..., None, None] > 0.0
        return tf.where(upright, smooth(images, weights, axis=1),
                        smooth(images, weights, axis=2))


def kernel(length):
    """Equal weights on a path of `length`, which may end inside a pixel."""
    radius = math.ceil((length - 1.0) / 2.0)
    offsets = np.arange(-radius, radius + 1)
    return np.clip((length + 1.0) / 2.0 - np.abs(offsets), 0.0, 1.0) / length
