"""Too much light.

    min(images + amount, 1)
"""

import keras

from bdlzoo.corruptions.corruption import Corruption


@keras.saving.register_keras_serializable(package="bdlzoo")
class Brightness(Corruption):
    """Adds `amount` to all pixels; what is above white is lost."""

    amounts = (0.1, 0.2, 0.3, 0.4, 0.5)

    def corrupt(self, images):
        return images + self.amount
