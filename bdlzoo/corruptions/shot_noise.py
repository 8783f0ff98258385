"""Noise of counting light: few photons, large scatter.

    Poisson(amount * images) / amount    has mean images, variance images / amount
    images + sqrt(images / amount) * eps,    eps ~ N(0, 1)

The second line is what is drawn, a normal of the same mean and variance. It
lacks the skew of counts, which shows below five photons a pixel only. As with
counts, black stays black.
"""

import keras
import tensorflow as tf

from bdlzoo.corruptions.corruption import Corruption


@keras.saving.register_keras_serializable(package="bdlzoo")
class ShotNoise(Corruption):
    """Adds noise whose variance grows with the light; `amount` counts photons."""

    amounts = (60.0, 25.0, 12.0, 5.0, 3.0)

    def corrupt(self, images):
        return images + tf.sqrt(images / self.amount) * self.normal(images)
