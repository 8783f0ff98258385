"""Noise of a camera in the dark.

    images + amount * eps,    eps ~ N(0, 1)
"""

import keras

from bdlzoo.corruptions.corruption import Corruption


@keras.saving.register_keras_serializable(package="bdlzoo")
class AdditiveNoise(Corruption):
    """Adds Gaussian noise, independent over pixels and channels."""

    amounts = (0.08, 0.12, 0.18, 0.26, 0.38)

    def corrupt(self, images):
        return images + self.amount * self.normal(images)
