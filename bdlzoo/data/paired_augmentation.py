"""Random flips and sections of images, together with their masks.

    box  = a section of `1 - zoom` to 1 of the sides, anywhere in the image
    x, y = section of the image, section of the mask, in the size of the image

The box is the same for both. An image is read by bilinear interpolation, a mask by the
nearest pixel: classes have no mean. The noise is that of the zoo, a function of the
key, so that a training that is resumed goes on with the same batches.
"""

import numbers

import tensorflow as tf

from bdlzoo.core import noise, registry


@registry.register
class PairedAugmentation:
    """Changes images and masks at random, both in the same way.

    Args:
        flip: Float in [0, 1], share of images whose left and right are swapped.
        zoom: Float in [0, 1), the largest share of a side that is cut off.

    Call arguments:
        x: Images `[B, H, W, C]`.
        y: Masks `[B, H, W]` of integers.
        key: Key of `bdlzoo.core.noise`.

    Returns:
        Images and masks in the same shapes.

    Example:

        model.fit(x, y, augmentation=bdlzoo.data.PairedAugmentation(zoom=0.3))
    """

    def __init__(self, flip=0.5, zoom=0.0):
        for name, value, most in (("flip", flip, 1.0), ("zoom", zoom, 0.99)):
            if not isinstance(value, numbers.Real) or not 0 <= value <= most:
                raise ValueError(f"Expected a share from 0 to {most}. Received: "
                                 f"{name}={value!r}")
        self.flip = flip
        self.zoom = zoom

    def __call__(self, x, y, key):
        return self._changed(key, x, y)

    def of_stream(self, stream, seed, start=0):
        """A stream of batches `(x, y)` or `(x, y, sample_weight)`, augmented.

        Args:
            stream: Infinite `tf.data.Dataset` of batches; weights are of pixels.
            seed: Integer, seed of the noise.
            start: Integer, number of the first batch.
        """
        steps = tf.data.Dataset.range(start, tf.int64.max)
        return tf.data.Dataset.zip((steps, stream)).map(
            lambda step, batch: self._changed(
                noise.key(seed, noise.AUGMENT, step), *batch),
            num_parallel_calls=tf.data.AUTOTUNE, deterministic=True)

    def _changed(self, key, x, *maps):
        """Images and maps `[B, H, W]`, such as masks and weights, of the same boxes."""
        x, *maps = map(tf.convert_to_tensor, (x, *maps))
        for y in maps:
            if x.shape.rank != 4 or y.shape.rank != 3 or x.shape[1:3] != y.shape[1:3]:
                raise ValueError(
                    "Expected images [B, H, W, C] and masks (and weights) [B, H, W] of "
                    f"the same size. Received: images of shape {x.shape}, masks of "
                    f"shape {y.shape}")
        boxes = self._boxes(tf.shape(x)[0], key)

        def section(images, method):
            found = tf.image.crop_and_resize(
                images, boxes, tf.range(tf.shape(x)[0]), x.shape[1:3], method)
            return tf.cast(found, images.dtype)

        return (section(x, "bilinear"), *(
            section(y[..., None], "nearest")[..., 0] for y in maps))

    def _boxes(self, rows, key):
        """Top, left, bottom and right of each section, as shares of the sides."""
        flips, shares, down, right = tf.unstack(noise.uniform([4, rows], key))
        side = 1.0 - self.zoom * shares
        top, left = down * (1.0 - side), right * (1.0 - side)
        swapped = flips < self.flip  # Read from right to left.
        return tf.stack([top, tf.where(swapped, left + side, left), top + side,
                         tf.where(swapped, left, left + side)], axis=1)
