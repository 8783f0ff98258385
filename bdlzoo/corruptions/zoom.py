"""Zoom: the middle of images, `amount` times as large."""

import keras

from bdlzoo.corruptions.corruption import Corruption, warp


@keras.saving.register_keras_serializable(package="bdlzoo")
class Zoom(Corruption):
    """Enlarges the middle of each image; its border is lost.

    Args:
        severity: Integer from 1 (mild) to 5 (severe).
        seed: Integer, without effect, since the corruption is not random.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `name`.

    Example:

        images = Zoom(severity=3)(images)
    """

    amounts = (1.1, 1.2, 1.35, 1.5, 1.75)

    def __init__(self, severity=1, seed=0, **kwargs):
        super().__init__(severity, seed, **kwargs)

    def corrupt(self, images):
        scale = 1.0 / self.amount
        return warp(images, ((scale, 0.0), (0.0, scale)))
