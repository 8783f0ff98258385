"""Slanted images.

A pixel moves sideways by `amount` times its height above the centre, to the left
or to the right as the image's coin falls; what comes in from outside is black.
"""

import keras
import tensorflow as tf

from bdlzoo.corruptions.corruption import Corruption, warp


@keras.saving.register_keras_serializable(package="bdlzoo")
class Shear(Corruption):
    """Slants each image, in either direction."""

    amounts = (0.15, 0.3, 0.45, 0.6, 0.8)

    def corrupt(self, images):
        slant = self.amount * self.signs(images, 1)[:, 0]
        one, zero = tf.ones_like(slant), tf.zeros_like(slant)
        return warp(images, tf.stack([one, zero, slant, one], axis=-1))
