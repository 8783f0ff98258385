"""Dense layers by an equation: their signs, and several draws in a batch."""

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo import layers
from tests.layers.variational_cases import draw, make

X = np.random.default_rng(0).normal(size=(3, 4, 5)).astype("float32")


def test_positions_of_a_row_share_their_weights_and_rows_do_not():
    x = np.repeat(X[:1, :1], 3, axis=0).repeat(4, axis=1)  # All positions are equal.
    outputs = draw(make("EinsumDenseFlipout"), x)[0]
    np.testing.assert_allclose(outputs[:, 0], outputs[:, 3], atol=1e-6)
    assert np.abs(outputs[0, 0] - outputs[1, 0]).max() > 1e-3


def test_stacked_kernels_serve_their_part_of_the_batch():
    layer = make("EinsumDenseFlipout")
    kernels = np.random.default_rng(1).normal(size=(3, 5, 2, 2)).astype("float32")
    expected = np.einsum("kabc,kcde->kabde", X[:, None], kernels)[:, 0]
    np.testing.assert_allclose(layer.stacked(tf.constant(X), tf.constant(kernels)),
                               expected, atol=1e-5)


def test_variance_of_draws_is_that_of_the_weights():
    layer = make("EinsumDenseFlipout")
    draws = draw(layer, X, 3000)
    expected = np.einsum("abc,cde->abde", X**2, layer.kernel_scale().numpy()**2)
    np.testing.assert_allclose(draws.var(0), expected, rtol=0.2)
    np.testing.assert_allclose(
        draws.mean(0), layer(X), atol=5 * np.sqrt(expected.max() / 3000))


def test_bias_has_a_posterior_where_it_is_asked_for():
    layer = layers.EinsumDenseFlipout("abc,cd->abd", (None, 3), bias_axes="d",
                                      variational_bias=True, init_scale=1e-3)
    layer.build(X.shape)
    layer.noise_salt = 0
    layer.set_kernel_scale(1e-12)
    layer.bias_rho.assign(tf.zeros_like(layer.bias_rho))
    outputs = draw(layer, X)[0] - layer(X)
    np.testing.assert_allclose(outputs[:, 0], outputs[:, 3], atol=1e-5)
    assert np.abs(outputs[0] - outputs[1]).min() > 1e-3  # Each row has its own.
    assert not hasattr(layers.EinsumDenseFlipout(
        "abc,cd->abd", (None, 3), variational_bias=True), "bias_prior")


def test_dots_are_refused():
    layer = layers.EinsumDenseReparameterization("...x,xy->...y", 3)
    with pytest.raises(ValueError, match="names all axes"):
        layer.build((2, 3))
