"""Impulse noise: broken pixels that are white or black.

Of all pixels a share `amount` is replaced, one half by white and one half by black, in
all channels of a pixel.
"""

import keras
import tensorflow as tf

from bdlzoo.corruptions.corruption import Corruption


@keras.saving.register_keras_serializable(package="bdlzoo")
class ImpulseNoise(Corruption):
    """Turns random pixels white or black.

    Args:
        severity: Integer from 1 (mild) to 5 (severe).
        seed: Integer, seed of the noise.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `name`.

    Example:

        images = ImpulseNoise(severity=3)(images)
    """

    amounts = (0.03, 0.06, 0.1, 0.17, 0.27)

    def __init__(self, severity=1, seed=0, **kwargs):
        super().__init__(severity, seed, **kwargs)

    def corrupt(self, images):
        uniform = self.uniform(images, *images.shape[1:3], 1)
        images = tf.where(uniform < 0.5 * self.amount, 0.0, images)
        return tf.where(uniform > 1.0 - 0.5 * self.amount, 1.0, images)
