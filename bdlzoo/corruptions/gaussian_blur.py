"""An image out of focus.

    weight_i = E[max(0, 1 - |i - std z|)],    z ~ N(0, 1)

The average of the image, moved by `std z` pixels and read by linear
interpolation. Of a kernel that samples the density, nothing would be left where
the scale is a fraction of a pixel, as on tiny images.
"""

import math

import keras
import numpy as np

from bdlzoo.corruptions.corruption import Corruption, shorter_side, smooth


@keras.saving.register_keras_serializable(package="bdlzoo")
class GaussianBlur(Corruption):
    """Blurs with a standard deviation of `amount` times the shorter side."""

    amounts = (0.02, 0.035, 0.05, 0.065, 0.08)

    def corrupt(self, images):
        weights = kernel(self.amount * shorter_side(images))
        return smooth(smooth(images, weights, axis=1), weights, axis=2)


def kernel(std):
    """Weights of the blur along one axis, an odd number of them."""
    from scipy import special
    radius = math.ceil(3 * std)
    offsets = np.arange(-radius - 1, radius + 2)
    # Of E[max(0, i - std z)] the second difference is the weight.
    density = np.exp(-0.5 * (offsets / std)**2) / math.sqrt(math.tau)
    weights = np.diff(offsets * special.ndtr(offsets / std) + std * density, 2)
    return weights / weights.sum()
