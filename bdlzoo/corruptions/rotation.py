"""Rotation of images about their centre.

The angle is `amount` degrees, to the left or to the right at random for each image.
Pixels from outside of the image are black.
"""

import math

import keras
import tensorflow as tf

from bdlzoo.corruptions.corruption import Corruption, warp


@keras.saving.register_keras_serializable(package="bdlzoo")
class Rotation(Corruption):
    """Rotates each image by `amount` degrees, in either direction.

    Args:
        severity: Integer from 1 (mild) to 5 (severe).
        seed: Integer, seed of the noise.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `name`.

    Example:

        images = Rotation(severity=3)(images)
    """

    amounts = (10.0, 20.0, 30.0, 45.0, 60.0)

    def __init__(self, severity=1, seed=0, **kwargs):
        super().__init__(severity, seed, **kwargs)

    def corrupt(self, images):
        sine = math.sin(math.radians(self.amount)) * self.signs(images, 1)[:, 0]
        cosine = math.cos(math.radians(self.amount)) * tf.ones_like(sine)
        return warp(images, tf.stack([cosine, -sine, sine, cosine], axis=-1))
