"""Something in front: a grey square at a random place, all of it in the image.

Its side is `amount` times the shorter side of the image, in whole pixels.
"""

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.corruptions.corruption import Corruption, shorter_side


@keras.saving.register_keras_serializable(package="bdlzoo")
class Occlusion(Corruption):
    """Covers part of each image with a grey square."""

    amounts = (0.15, 0.25, 0.375, 0.5, 0.6)

    def corrupt(self, images):
        size = np.array(images.shape[1:3])
        side = max(1, round(self.amount * shorter_side(images)))
        first = tf.floor(self.uniform(images, 2) * (size - side + 1.0))  # [B, 2]
        distance = np.indices(size).astype("float32") - first[..., None, None]
        covered = tf.reduce_all((distance >= 0.0) & (distance < side), axis=1)
        return tf.where(covered[..., None], 0.5, images)
