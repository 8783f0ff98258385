"""Occlusion by a grey square at a random place inside the image.

The side of the square is `amount` times the shorter side of the image, rounded to
whole pixels.
"""

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.corruptions.corruption import Corruption, shorter_side


@keras.saving.register_keras_serializable(package="bdlzoo")
class Occlusion(Corruption):
    """Covers part of each image with a grey square.

    Args:
        severity: Integer from 1 (mild) to 5 (severe).
        seed: Integer, seed of the noise.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `name`.

    Example:

        images = Occlusion(severity=3)(images)
    """

    amounts = (0.15, 0.25, 0.375, 0.5, 0.6)

    def __init__(self, severity=1, seed=0, **kwargs):
        super().__init__(severity, seed, **kwargs)

    def corrupt(self, images):
        size = np.array(images.shape[1:3])
        side = max(1, round(self.amount * shorter_side(images)))
        first = tf.floor(self.uniform(images, 2) * (size - side + 1.0))  # [B, 2]
        distance = np.indices(size).astype("float32") - first[..., None, None]
        covered = tf.reduce_all((distance >= 0.0) & (distance < side), axis=1)
        return tf.where(covered[..., None], 0.5, images)
