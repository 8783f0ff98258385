"""Too few pixels: each block becomes its mean.

A side of n pixels is cut into `amount * n` blocks, as equal as whole pixels
allow.
"""

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.corruptions.corruption import Corruption


@keras.saving.register_keras_serializable(package="bdlzoo")
class Pixelate(Corruption):
    """Lowers the resolution to `amount` of what it was."""

    amounts = (0.75, 0.6, 0.5, 0.4, 0.3)

    def corrupt(self, images):
        rows, columns = (_averages(n, self.amount) for n in images.shape[1:3])
        return tf.einsum("bhwc,ih,jw->bijc", images, rows, columns)


def _averages(size, share):
    """Matrix `[size, size]` that replaces each pixel by the mean of its block."""
    block = np.arange(size) * max(1, round(share * size)) // size
    same = (block[:, None] == block).astype("float32")
    return same / same.sum(axis=1)
