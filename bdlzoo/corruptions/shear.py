"""Shear, which slants images.

A pixel moves sideways by `amount` times its height above the centre, to the left or to
the right at random for each image. Pixels from outside of the image are black.
"""

import keras
import tensorflow as tf

from bdlzoo.corruptions.corruption import Corruption, warp


@keras.saving.register_keras_serializable(package="bdlzoo")
class Shear(Corruption):
    """Slants each image, in either direction.

    Args:
        severity: Integer from 1 (mild) to 5 (severe).
        seed: Integer, seed of the noise.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `name`.

    Example:

        images = Shear(severity=3)(images)
    """

    amounts = (0.15, 0.3, 0.45, 0.6, 0.8)

    def __init__(self, severity=1, seed=0, **kwargs):
        super().__init__(severity, seed, **kwargs)

    def corrupt(self, images):
        slant = self.amount * self.signs(images, 1)[:, 0]
        one, zero = tf.ones_like(slant), tf.zeros_like(slant)
        return warp(images, tf.stack([one, zero, slant, one], axis=-1))
