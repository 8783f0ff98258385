"""Gaussian blur, like that of an image out of focus.

    weight_i = E[max(0, 1 - |i - std z|)],    z ~ N(0, 1)

This is the average of the image, moved by `std z` pixels with linear interpolation. A
kernel that samples the density would do nothing if `std` is a fraction of a pixel, as
on small images.
"""

import math

import keras
import numpy as np

from bdlzoo.corruptions.corruption import Corruption, shorter_side, smooth


@keras.saving.register_keras_serializable(package="bdlzoo")
class GaussianBlur(Corruption):
    """Blurs with a standard deviation of `amount` times the shorter side.

    Args:
        severity: Integer from 1 (mild) to 5 (severe).
        seed: Integer, without effect, since the corruption is not random.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `name`.

    Example:

        images = GaussianBlur(severity=3)(images)
    """

    amounts = (0.02, 0.035, 0.05, 0.065, 0.08)

    def __init__(self, severity=1, seed=0, **kwargs):
        super().__init__(severity, seed, **kwargs)

    def corrupt(self, images):
        weights = kernel(self.amount * shorter_side(images))
        return smooth(smooth(images, weights, axis=1), weights, axis=2)


def kernel(std):
    """Weights of the blur along one axis; their number is odd."""
    from scipy import special
    radius = math.ceil(3 * std)
    offsets = np.arange(-radius - 1, radius + 2)
    # A weight is the second difference of E[max(0, i - std z)].
    density = np.exp(-0.5 * (offsets / std)**2) / math.sqrt(math.tau)
    weights = np.diff(offsets * special.ndtr(offsets / std) + std * density, 2)
    return weights / weights.sum()
