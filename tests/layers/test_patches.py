"""Patches, multiplied by a kernel, are a convolution."""

import numpy as np
import pytest
import tensorflow as tf
from keras import ops

from bdlzoo.layers.patches import patches

SIDES = {1: (9,), 2: (9, 10), 3: (6, 5, 7)}
KERNELS = {1: (3,), 2: (3, 2), 3: (3, 2, 2)}


@pytest.mark.parametrize("padding", ["valid", "same"])
@pytest.mark.parametrize("rank, stride, dilation", [
    (1, 1, 1), (1, 2, 1), (1, 3, 1), (1, 1, 2), (2, 1, 1), (2, 2, 1), (2, 3, 1),
    (2, 1, 2), (3, 1, 1), (3, 2, 1)])  # Volumes have no dilation on a CPU.
def test_patches_times_a_kernel_are_a_convolution(padding, rank, stride, dilation):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2, *SIDES[rank], 3)).astype("float32")
    kernel = rng.normal(size=(*KERNELS[rank], 3, 4)).astype("float32")
    ours = patches(tf.constant(x), KERNELS[rank], (stride,) * rank, padding,
                   (dilation,) * rank)
    theirs = ops.conv(x, kernel, (stride,) * rank, padding,
                      dilation_rate=(dilation,) * rank)
    assert ours.shape == (*theirs.shape[:-1], np.prod(KERNELS[rank]), 3)
    np.testing.assert_allclose(
        np.tensordot(ours, kernel.reshape(-1, 3, 4), 2), theirs, atol=1e-4)
