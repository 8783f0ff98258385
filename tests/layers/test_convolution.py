"""Convolutions: every option of Keras, signs that are constant over space."""

import itertools

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo import layers
from tests.layers.variational_cases import draw, make

SHAPES = {1: (4, 9, 2), 2: (4, 9, 8, 2), 3: (4, 5, 6, 7, 2)}
CASES = [(rank, *case) for rank in SHAPES for case in itertools.product(
    ("channels_last", "channels_first"), ("valid", "same", "causal"),
    ((1, 1), (2, 1), (1, 2))) if case[1] != "causal" or rank == 1]


@pytest.mark.parametrize("rank, data_format, padding, steps", CASES)
def test_kernels_of_their_own_convolve_as_one_does(rank, data_format, padding, steps):
    """A row with its kernel, by patches, is that row convolved alone."""
    x = np.random.default_rng(0).normal(size=SHAPES[rank]).astype("float32")
    if data_format == "channels_first":
        x = np.moveaxis(x, -1, 1)
    options = dict(filters=3, kernel_size=3, strides=steps[0],
                   dilation_rate=steps[1], padding=padding, data_format=data_format)
    layer = make(f"Conv{rank}DExemplar", inputs=x, **options)
    # Not every CPU convolves with channels first: that way is taken by hand.
    plain = getattr(keras.layers, f"Conv{rank}D")(
        **{**options, "data_format": "channels_last"})
    last = np.moveaxis(x, 1, -1) if data_format == "channels_first" else x
    plain.build(last.shape)
    kernels = np.random.default_rng(1).normal(
        size=(4, *layer.kernel.shape)).astype("float32")
    outputs = layer.stacked(tf.constant(x), tf.constant(kernels))
    for row, kernel in enumerate(kernels[:2]):
        plain.set_weights([kernel, np.zeros(3)])
        found = outputs[row:row + 1].numpy()
        if data_format == "channels_first":
            found = np.moveaxis(found, 1, -1)
        np.testing.assert_allclose(found, plain(last[row:row + 1]), atol=1e-4)
    noisy = draw(layer, x)[0]
    assert noisy.shape == outputs.shape


def test_flipout_signs_are_constant_over_space():
    layer = make("Conv2DFlipout")
    layer.kernel.assign(tf.zeros(layer.kernel.shape))
    outputs = draw(layer, np.ones((5, 6, 6, 2), "float32"))[0]
    np.testing.assert_allclose(
        outputs, np.broadcast_to(outputs[:, :1, :1], outputs.shape), atol=1e-6)
    assert np.std(outputs[:, 0, 0, 0]) > 1e-3


def test_local_noise_differs_over_space_and_is_no_weight_draw():
    layer = make("Conv2DLocalReparameterization")
    outputs = draw(layer, np.ones((2, 6, 6, 2), "float32"))[0]
    assert np.abs(outputs[:, 0, 0] - outputs[:, 1, 1]).min() > 1e-6
    assert not layer.independent_rows


def test_grouped_kernels_of_their_own_are_refused():
    layer = layers.Conv2DExemplar(4, 3, groups=2)
    with pytest.raises(ValueError, match="one group.*groups=2"):
        layer.build((None, 8, 8, 4))
