"""Shot noise, the noise of counting few photons.

    Poisson(amount * images) / amount    has mean images, variance images / amount
    images + sqrt(images / amount) * eps,    eps ~ N(0, 1)

The second line is what is drawn: a normal with the same mean and variance. Unlike
counts it is not skewed, which is visible below five photons a pixel only. As with
counts, black pixels stay black.
"""

import keras
import tensorflow as tf

from bdlzoo.corruptions.corruption import Corruption


@keras.saving.register_keras_serializable(package="bdlzoo")
class ShotNoise(Corruption):
    """Adds noise whose variance grows with brightness; `amount` counts photons.

    Args:
        severity: Integer from 1 (mild) to 5 (severe).
        seed: Integer, seed of the noise.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `name`.

    Example:

        images = ShotNoise(severity=3)(images)
    """

    amounts = (60.0, 25.0, 12.0, 5.0, 3.0)

    def __init__(self, severity=1, seed=0, **kwargs):
        super().__init__(severity, seed, **kwargs)

    def corrupt(self, images):
        return images + tf.sqrt(images / self.amount) * self.normal(images)
