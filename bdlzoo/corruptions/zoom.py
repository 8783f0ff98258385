"""Images from too near: the middle, `amount` times as large."""

import keras

from bdlzoo.corruptions.corruption import Corruption, warp


@keras.saving.register_keras_serializable(package="bdlzoo")
class Zoom(Corruption):
    """Enlarges the middle of each image; its border is lost."""

    amounts = (1.1, 1.2, 1.35, 1.5, 1.75)

    def corrupt(self, images):
        scale = 1.0 / self.amount
        return warp(images, ((scale, 0.0), (0.0, scale)))
