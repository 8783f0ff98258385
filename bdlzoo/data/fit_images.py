"""Conversion of images to another size and number of channels."""

import numpy as np
import tensorflow as tf

_LUMINANCE = np.array([0.299, 0.587, 0.114], "float32")  # Rec. 601; sums to 1.
_ROWS = 1000  # Images that are resized at once.


def fit_images(x, shape):
    """Resizes images, and converts between grey and colour.

    Resizing is bilinear with antialiasing. Colours become their luminance, grey becomes
    three equal channels. Images that have the shape already are not changed.

    Args:
        x: Floats `[N, H, W, C]` in `[0, 1]`.
        shape: Tuple `(height, width, channels)` of the result.

    Returns:
        Float32 array `[N, height, width, channels]` in `[0, 1]`.

    Example:

        x = bdlzoo.data.fit_images(x, (28, 28, 3))
    """
    x, (height, width, channels) = np.asarray(x), _checked(x, shape)
    if x.shape[-1] == 3 and channels == 1:
        x = (x @ _LUMINANCE)[..., None]
    if x.shape[1:3] != (height, width):
        x = np.concatenate([
            tf.image.resize(x[start:start + _ROWS], (height, width),
                            antialias=True)
            for start in range(0, len(x), _ROWS)])
        x = np.clip(x, 0.0, 1.0)  # Rounding may leave the range.
    if x.shape[-1] == 1 and channels == 3:
        x = np.repeat(x, 3, axis=-1)
    return x.astype("float32", copy=False)


def _checked(x, shape):
    x, shape = np.asarray(x), tuple(shape)
    if x.ndim != 4 or not x.size or len(shape) != 3:
        raise ValueError(
            "Expected images [N, H, W, C], and (height, width, channels) to fit "
            f"them into. Received: x.shape={x.shape}, shape={shape}")
    if x.shape[-1] != shape[-1] and {x.shape[-1], shape[-1]} != {1, 3}:
        raise ValueError("Expected grey or colour images, of 1 or 3 channels. "
                         f"Received: x.shape={x.shape}, shape={shape}")
    # In this form NaN is an error too.
    if not (x.min() >= 0 and x.max() <= 1):
        raise ValueError("Expected values in [0, 1]: divide bytes by 255. "
                         f"Received: values from {x.min()} to {x.max()}")
    return shape
