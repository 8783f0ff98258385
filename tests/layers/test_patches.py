"""Patches against TensorFlow's own, where it has them."""

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.layers.patches import patches


@pytest.mark.parametrize("padding", ["valid", "same"])
@pytest.mark.parametrize("stride, dilation", [(1, 1), (2, 1), (3, 1), (1, 2)])
def test_patches_are_those_of_tensorflow(padding, stride, dilation):
    x = np.random.default_rng(0).normal(size=(2, 9, 10, 3)).astype("float32")
    ours = patches(tf.constant(x), (3, 2), (stride,) * 2, padding, (dilation,) * 2)
    theirs = tf.image.extract_patches(
        x, (1, 3, 2, 1), (1, stride, stride, 1), (1, dilation, dilation, 1),
        padding.upper())
    np.testing.assert_array_equal(
        np.reshape(ours, (*ours.shape[:-2], -1)), theirs)
