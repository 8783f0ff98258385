"""Patches of inputs, by which a convolution becomes a matrix product."""

import itertools
import math

import tensorflow as tf
from keras import ops


def patches(inputs, kernel_size, strides, padding, dilation_rate):
    """Windows of images, signals or volumes, as a convolution reads them.

    Windows of images are made by one operation, others by a slice for each place of
    the kernel. Any stride and dilation works, with a gradient in XLA and without.

    Args:
        inputs: Tensor `[B, *positions, C]`.
        kernel_size: Tuple of integers, size of a window.
        strides: Tuple of integers, distance of windows.
        padding: `"valid"` or `"same"`.
        dilation_rate: Tuple of integers, distance of the places in a window.

    Returns:
        Tensor `[B, *output positions, prod(kernel_size), C]`, places in the
        order of the kernel's axes.
    """
    if len(kernel_size) == 2:  # Three times as fast as slices.
        windows = tf.image.extract_patches(
            inputs, [1, *kernel_size, 1], [1, *strides, 1], [1, *dilation_rate, 1],
            padding.upper())
        return tf.reshape(windows, [*ops.shape(windows)[:-1], math.prod(kernel_size),
                                    inputs.shape[-1]])
    sizes = ops.shape(inputs)[1:-1]
    widths = [(k - 1) * d + 1 for k, d in zip(kernel_size, dilation_rate)]
    if padding == "same":
        missing = [max((-(-size // stride) - 1) * stride + width - size, 0)
                   for size, stride, width in zip(sizes, strides, widths)]
        inputs = ops.pad(inputs, [(0, 0), *((m // 2, m - m // 2) for m in missing),
                                  (0, 0)])
        sizes = [size + m for size, m in zip(sizes, missing)]
    counts = [(size - width) // stride + 1
              for size, width, stride in zip(sizes, widths, strides)]
    places = []
    for offsets in itertools.product(*map(range, kernel_size)):
        window = tuple(
            slice(o * d, o * d + (n - 1) * s + 1, s) for o, d, n, s
            in zip(offsets, dilation_rate, counts, strides))
        places.append(inputs[(slice(None), *window)])
    return ops.stack(places, axis=-2)
