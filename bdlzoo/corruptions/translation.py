"""Images off the centre.

Moved by `amount` times height and width at once, to one of the four corners,
which the image's two coins choose; what comes in from outside is black.
"""

import keras

from bdlzoo.corruptions.corruption import Corruption, warp


@keras.saving.register_keras_serializable(package="bdlzoo")
class Translation(Corruption):
    """Shifts each image towards a corner."""

    amounts = (0.04, 0.08, 0.12, 0.16, 0.2)

    def corrupt(self, images):
        height, width = images.shape[1:3]
        shift = (self.amount * height, self.amount * width)
        return warp(images, shift=self.signs(images, 2) * shift)
