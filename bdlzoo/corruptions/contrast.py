"""Low contrast, like that of fog.

    mean + amount * (images - mean)    with the mean of each image and channel
"""

import keras
import tensorflow as tf

from bdlzoo.corruptions.corruption import Corruption


@keras.saving.register_keras_serializable(package="bdlzoo")
class Contrast(Corruption):
    """Scales the standard deviation of an image by `amount`.

    Args:
        severity: Integer from 1 (mild) to 5 (severe).
        seed: Integer, without effect, since the corruption is not random.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `name`.

    Example:

        images = Contrast(severity=3)(images)
    """

    amounts = (0.6, 0.45, 0.3, 0.2, 0.1)

    def __init__(self, severity=1, seed=0, **kwargs):
        super().__init__(severity, seed, **kwargs)

    def corrupt(self, images):
        return tf.image.adjust_contrast(images, self.amount)
