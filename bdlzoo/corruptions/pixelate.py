"""Low resolution: each block of pixels becomes its mean.

A side of n pixels is divided into `amount * n` blocks of nearly equal size.
"""

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.corruptions.corruption import Corruption


@keras.saving.register_keras_serializable(package="bdlzoo")
class Pixelate(Corruption):
    """Multiplies the resolution of each image by `amount`.

    Args:
        severity: Integer from 1 (mild) to 5 (severe).
        seed: Integer, without effect, since the corruption is not random.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `name`.

    Example:

        images = Pixelate(severity=3)(images)
    """

    amounts = (0.75, 0.6, 0.5, 0.4, 0.3)

    def __init__(self, severity=1, seed=0, **kwargs):
        super().__init__(severity, seed, **kwargs)

    def corrupt(self, images):
        rows, columns = (_averages(n, self.amount) for n in images.shape[1:3])
        return tf.einsum("bhwc,ih,jw->bijc", images, rows, columns)


def _averages(size, share):
    """Matrix `[size, size]` that replaces each pixel by the mean of its block."""
    block = np.arange(size) * max(1, round(share * size)) // size
    same = (block[:, None] == block).astype("float32")
    return same / same.sum(axis=1)
