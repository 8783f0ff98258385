"""Depthwise convolutions with kernels of their own."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from tests.layers.variational_cases import make


@pytest.mark.parametrize("data_format", ["channels_last", "channels_first"])
@pytest.mark.parametrize("padding, strides", [("same", 2), ("valid", 1)])
def test_kernels_of_their_own_convolve_as_one_does(data_format, padding, strides):
    x = np.random.default_rng(0).normal(size=(4, 7, 8, 3)).astype("float32")
    if data_format == "channels_first":
        x = np.moveaxis(x, -1, 1)
    options = dict(kernel_size=3, depth_multiplier=2, strides=strides,
                   padding=padding, data_format=data_format)
    layer = make("DepthwiseConv2DExemplar", inputs=x, **options)
    plain = keras.layers.DepthwiseConv2D(**options)
    plain.build(x.shape)
    kernels = np.random.default_rng(1).normal(
        size=(4, *layer.kernel.shape)).astype("float32")
    outputs = layer.stacked(tf.constant(x), tf.constant(kernels))
    for row, kernel in enumerate(kernels):
        plain.set_weights([kernel, np.zeros(6)])
        np.testing.assert_allclose(outputs[row:row + 1], plain(x[row:row + 1]),
                                   atol=1e-4)
