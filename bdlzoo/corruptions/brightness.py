"""Brightness: images with too much light.

    min(images + amount, 1)
"""

import keras

from bdlzoo.corruptions.corruption import Corruption


@keras.saving.register_keras_serializable(package="bdlzoo")
class Brightness(Corruption):
    """Adds `amount` to all pixels; values above 1 become 1.

    Args:
        severity: Integer from 1 (mild) to 5 (severe).
        seed: Integer, without effect, since the corruption is not random.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `name`.

    Example:

        images = Brightness(severity=3)(images)
    """

    amounts = (0.1, 0.2, 0.3, 0.4, 0.5)

    def __init__(self, severity=1, seed=0, **kwargs):
        super().__init__(severity, seed, **kwargs)

    def corrupt(self, images):
        return images + self.amount
