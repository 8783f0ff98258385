"""Images that stand askew.

Turned by `amount` degrees about the centre, to the left or to the right as the
image's coin falls; what comes in from outside is black.
"""

import math

import keras
import tensorflow as tf

from bdlzoo.corruptions.corruption import Corruption, warp


@keras.saving.register_keras_serializable(package="bdlzoo")
class Rotation(Corruption):
    """Rotates each image by `amount` degrees, in either direction."""

    amounts = (10.0, 20.0, 30.0, 45.0, 60.0)

    def corrupt(self, images):
        sine = math.sin(math.radians(self.amount)) * self.signs(images, 1)[:, 0]
        cosine = math.cos(math.radians(self.amount)) * tf.ones_like(sine)
        return warp(images, tf.stack([cosine, -sine, sine, cosine], axis=-1))
