"""Conversion of images and their masks, a class for each pixel, to another size."""

import numpy as np
import tensorflow as tf

_ROWS = 200  # Images that are resized at once.


def fit_masks(x, y, size):
    """Resizes images together with their masks.

    An image is resized by area, which is bilinear with antialiasing. A pixel of a mask
    has the class of the pixel at its middle: classes have no mean.

    Args:
        x: Floats `[N, H, W, C]`, images.
        y: Integers `[N, H, W]`, masks.
        size: Pair of integers, height and width of the result.

    Returns:
        Images `[N, height, width, C]` in float32, and masks `[N, height, width]`.

    Raises:
        ValueError: If masks have another size than their images.

    Example:

        x, y = bdlzoo.data.fit_masks(x, y, (48, 64))
    """
    x, y, size = np.asarray(x), np.asarray(y), tuple(size)
    check_masks(x, y)
    if len(size) != 2 or min(size) < 1:
        raise ValueError("Expected a height and a width of at least one pixel. "
                         f"Received: size={size}")
    if x.shape[1:3] == size:
        return x.astype("float32", copy=False), y
    images = np.concatenate([
        tf.image.resize(x[start:start + _ROWS], size, antialias=True)
        for start in range(0, len(x), _ROWS)])
    rows, columns = (
        ((np.arange(new) + 0.5) * old / new).astype(int)
        for new, old in zip(size, x.shape[1:3], strict=True))
    return images.astype("float32", copy=False), y[:, rows[:, None], columns]


def check_masks(x, y):
    """Raises a `ValueError` if masks have another size than their images.

    Args:
        x: Array `[N, H, W, C]`.
        y: Array that should be `[N, H, W]`.
    """
    if np.ndim(x) != 4 or np.shape(y) != np.shape(x)[:3]:
        raise ValueError(
            "Expected images [N, H, W, C] and masks [N, H, W] of the same size: resize "
            "both together, such as by `bdlzoo.data.fit_masks`. Received: "
            f"x.shape={np.shape(x)}, y.shape={np.shape(y)}")
