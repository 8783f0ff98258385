"""Gaussian noise on every pixel, like that of a camera in the dark.

    images + amount * eps,    eps ~ N(0, 1)
"""

import keras

from bdlzoo.corruptions.corruption import Corruption


@keras.saving.register_keras_serializable(package="bdlzoo")
class AdditiveNoise(Corruption):
    """Adds Gaussian noise, independent over pixels and channels.

    Args:
        severity: Integer from 1 (mild) to 5 (severe).
        seed: Integer, seed of the noise.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `name`.

    Example:

        images = AdditiveNoise(severity=3)(images)
    """

    amounts = (0.08, 0.12, 0.18, 0.26, 0.38)

    def __init__(self, severity=1, seed=0, **kwargs):
        super().__init__(severity, seed, **kwargs)

    def corrupt(self, images):
        return images + self.amount * self.normal(images)
