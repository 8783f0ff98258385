"""Translation of images towards a corner.

An image moves by `amount` times its height and its width, towards one of the four
corners, at random for each image. Pixels from outside of the image are black.
"""

import keras

from bdlzoo.corruptions.corruption import Corruption, warp


@keras.saving.register_keras_serializable(package="bdlzoo")
class Translation(Corruption):
    """Shifts each image towards a corner.

    Args:
        severity: Integer from 1 (mild) to 5 (severe).
        seed: Integer, seed of the noise.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `name`.

    Example:

        images = Translation(severity=3)(images)
    """

    amounts = (0.04, 0.08, 0.12, 0.16, 0.2)

    def __init__(self, severity=1, seed=0, **kwargs):
        super().__init__(severity, seed, **kwargs)

    def corrupt(self, images):
        height, width = images.shape[1:3]
        shift = (self.amount * height, self.amount * width)
        return warp(images, shift=self.signs(images, 2) * shift)
