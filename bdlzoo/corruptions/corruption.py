"""Base class of corruptions of images.

    images -> clip(corrupt(images), 0, 1)

A table gives the strength of each of the five severities. Sizes and distances in it are
shares of the shorter side, so that 8 x 8 digits and photographs are corrupted alike.

The noise of an image depends on the seed and on the image itself, not on its place in a
batch. So a corruption is a fixed function: it gives the same result for an image alone
and in any batch, with and without XLA. Severities share their noise, so that curves
over them are smooth.

Reference: Hendrycks and Dietterich, Benchmarking Neural Network Robustness to
Common Corruptions and Perturbations, ICLR 2019 (the idea, and some tables).
"""

import math
import zlib

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.core import noise


class Corruption(keras.layers.Layer):
    """Corrupts images, in training and in prediction.

    A subclass defines `amounts` and writes `corrupt`.

    Args:
        severity: Integer from 1 (mild) to 5 (severe).
        seed: Integer, seed of the noise.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `name`.

    Call arguments:
        images: Floats `[B, H, W, C]` in `[0, 1]`.

    Returns:
        Images of the same shape and type, in `[0, 1]`.
    """

    amounts = ()  # One for each severity.

    def __init__(self, severity=1, seed=0, **kwargs):
        # The noise of an image depends on its bits, so inputs must not be cast.
        super().__init__(autocast=False, **kwargs)
        if severity not in range(1, 6):
            raise ValueError("Expected a severity from 1 to 5. "
                             f"Received: severity={severity!r}")
        self.severity = int(severity)
        self.seed = seed

    @property
    def amount(self):
        """Strength of the corruption at this severity."""
        return self.amounts[self.severity - 1]

    def corrupt(self, images):
        """Corrupts float32 images; results may be outside of [0, 1]."""
        raise NotImplementedError

    def call(self, images):
        _check(images)
        result = self.corrupt(tf.cast(images, tf.float32))
        return tf.cast(tf.clip_by_value(result, 0.0, 1.0), images.dtype)

    def uniform(self, images, *shape):
        """Uniform numbers in (0, 1) for each image, `[B, *shape]`.

        Number i of an image with hash h is made of the upper bits of
        `factor_i * h + term_i`. Numbers are independent within an image and between
        any two images, at the cost of one multiplication.
        """
        # The name gives every corruption its own stream, apart from those of models.
        key = noise.key(self.seed, zlib.crc32(type(self).__name__.encode()) >> 1)
        # Rounded to bytes, so that the noise does not depend on the last bits.
        hashes = noise.row_uniform(tf.round(255.0 * images), key)
        hashes = tf.cast(2.0**23 * hashes, tf.int64)[:, None]
        factors, terms = tf.unstack(tf.bitcast(noise.words(
            [2, math.prod(shape), 2], noise.fold_in(key, 1)), tf.int64))
        words = tf.bitcast(factors * hashes + terms, tf.uint64)
        top = tf.cast(tf.bitwise.right_shift(words, np.uint64(41)), tf.int32)
        uniforms = (tf.cast(top, tf.float32) + 0.5) * 2.0**-23
        return tf.reshape(uniforms, [-1, *shape])

    def normal(self, images):
        """Standard normal numbers in the shape of the images, by Box-Muller."""
        shape = images.shape[1:]
        size = math.prod(shape)
        radius, angle = tf.unstack(
            self.uniform(images, 2, (size + 1) // 2), axis=1)
        radius, angle = tf.sqrt(-2.0 * tf.math.log(radius)), math.tau * angle
        both = tf.concat([radius * tf.cos(angle), radius * tf.sin(angle)], axis=1)
        return tf.reshape(both[:, :size], [-1, *shape])

    def signs(self, images, count):
        """Random signs for each image, `[B, count]`."""
        return tf.where(self.uniform(images, count) < 0.5, -1.0, 1.0)

    def get_config(self):
        return {**super().get_config(), "severity": self.severity,
                "seed": self.seed}


def shorter_side(images):
    """Pixels along the shorter side of images."""
    return min(images.shape[1:3])


def smooth(images, weights, axis):
    """Averages neighbouring pixels along an axis; images are mirrored at the edges.

    Args:
        images: Tensor `[B, H, W, C]`.
        weights: Odd number of weights that sum to one.
        axis: Integer, 1 along columns or 2 along rows.

    Returns:
        Tensor `[B, H, W, C]`.
    """
    radius, channels = len(weights) // 2, images.shape[-1]
    pads, shape = np.zeros([4, 2], "int32"), [1, 1, channels, 1]
    pads[axis], shape[axis - 1] = radius, len(weights)
    kernel = np.repeat(weights, channels).reshape(shape).astype("float32")
    return tf.nn.depthwise_conv2d(
        tf.pad(images, pads, "SYMMETRIC"), kernel, [1, 1, 1, 1], "VALID")


def warp(images, matrix=((1.0, 0.0), (0.0, 1.0)), shift=(0.0, 0.0)):
    """Moves pixels: the one at p comes from `matrix (p - c) + c - shift`.

    Points are (row, column), and c is the centre of the image. Values between pixels
    are interpolated linearly, values outside of the image are black. Keras'
    `affine_transform` does not run under XLA.

    Args:
        images: Tensor `[B, H, W, C]`.
        matrix: Numbers `[2, 2]`, or a tensor `[B, 2, 2]`.
        shift: Numbers `[2]` in pixels, or a tensor `[B, 2]`.

    Returns:
        Tensor `[B, H, W, C]`.
    """
    height, width, channels = images.shape[1:]
    size = np.array([[height], [width]], "float32")
    centre = (size - 1.0) / 2.0
    pixels = np.indices([height, width], "float32").reshape(2, -1) - centre
    matrix = tf.reshape(tf.cast(matrix, tf.float32), [-1, 2, 2])
    source = matrix @ pixels + centre - tf.reshape(
        tf.cast(shift, tf.float32), [-1, 2, 1])  # [B, 2, HW], or one for all.
    source += tf.zeros([tf.shape(images)[0], 1, 1])
    # A black frame of one pixel stands for everything outside of the image.
    source = tf.clip_by_value(source + 1.0, 0.0, size + 1.0)
    first = tf.minimum(tf.floor(source), size)
    down, right = tf.unstack((source - first)[..., None], axis=1)  # [B, HW, 1]
    row, column = tf.unstack(tf.cast(first, tf.int32), axis=1)
    corner = row * (width + 2) + column
    framed = tf.pad(images, [[0, 0], [1, 1], [1, 1], [0, 0]])
    framed = tf.reshape(framed, [-1, (height + 2) * (width + 2), channels])

    def line(start):
        left, next_one = (tf.gather(framed, start + step, batch_dims=1)
                          for step in (0, 1))
        return (1.0 - right) * left + right * next_one

    moved = (1.0 - down) * line(corner) + down * line(corner + width + 2)
    return tf.reshape(moved, tf.shape(images))


def _check(images):
    shape = images.shape
    if shape.rank != 4 or shape[-1] not in (1, 3) or None in shape[1:]:
        raise ValueError(
            "Expected images [B, H, W, C] of known size with 1 or 3 channels; "
            f"give a single image a batch axis. Received: images.shape={shape}")
    if not images.dtype.is_floating:
        raise ValueError("Expected floats in [0, 1]; divide bytes by 255. "
                         f"Received: images.dtype={images.dtype.name}")
    if tf.executing_eagerly() and len(images):  # In a graph there are no values.
        low, high = images.numpy().min(), images.numpy().max()
        if not 0.0 <= low <= high <= 1.0:
            raise ValueError("Expected pixels in [0, 1]; scale the images first. "
                             f"Received: values from {low} to {high}")
