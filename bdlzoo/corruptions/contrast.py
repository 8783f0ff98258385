"""Fog: less contrast.

    mean + amount * (images - mean)    with the mean of each image and channel
"""

import keras
import tensorflow as tf

from bdlzoo.corruptions.corruption import Corruption


@keras.saving.register_keras_serializable(package="bdlzoo")
class Contrast(Corruption):
    """Scales the standard deviation of an image by `amount`."""

    amounts = (0.6, 0.45, 0.3, 0.2, 0.1)

    def corrupt(self, images):
        return tf.image.adjust_contrast(images, self.amount)
