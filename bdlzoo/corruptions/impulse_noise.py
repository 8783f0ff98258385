"""Salt and pepper: broken pixels.

A share `amount` of all pixels is lost, half of them to white and half to black,
in all channels at once.
"""

import keras
import tensorflow as tf

from bdlzoo.corruptions.corruption import Corruption


@keras.saving.register_keras_serializable(package="bdlzoo")
class ImpulseNoise(Corruption):
    """Turns random pixels white or black."""

    amounts = (0.03, 0.06, 0.1, 0.17, 0.27)

    def corrupt(self, images):
        uniform = self.uniform(images, *images.shape[1:3], 1)
        images = tf.where(uniform < 0.5 * self.amount, 0.0, images)
        return tf.where(uniform > 1.0 - 0.5 * self.amount, 1.0, images)
