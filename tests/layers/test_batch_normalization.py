"""Batch normalisation with a posterior: its statistics stay, its scale is drawn."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo import layers
from bdlzoo.core import noise

X = np.random.default_rng(0).normal(2.0, 3.0, (400, 2, 3, 4)).astype("float32")


def _layer(technique, **options):
    layer = getattr(layers, f"BatchNormalization{technique}")(
        variational_bias=True, **options)
    layer.build(X.shape)
    layer.noise_salt = 1
    layer.moving_mean.assign([1.0, 2.0, 3.0, 4.0])
    layer.moving_variance.assign([4.0, 9.0, 1.0, 0.25])
    layer.gamma.assign([0.5, -1.0, 2.0, 1.0])
    layer.beta.assign([0.1, 0.2, 0.3, 0.4])
    layer.set_kernel_scale([0.1, 0.2, 0.3, 0.4])
    return layer


def _normal(layer, x):
    return (x - layer.moving_mean) / np.sqrt(layer.moving_variance + layer.epsilon)


@pytest.mark.parametrize("technique", ["Exemplar", "Flipout"])
def test_mean_is_that_of_keras_in_inference(technique):
    layer, plain = _layer(technique), keras.layers.BatchNormalization()
    plain.build(X.shape)
    plain.set_weights([layer.gamma, layer.beta, layer.moving_mean,
                       layer.moving_variance])
    np.testing.assert_allclose(layer(X, training=True), plain(X), atol=1e-5)
    np.testing.assert_array_equal(layer.moving_mean, [1.0, 2.0, 3.0, 4.0])


@pytest.mark.parametrize("technique", ["Exemplar", "Flipout"])
def test_scale_and_shift_are_drawn_for_each_row_and_not_for_each_position(technique):
    layer = _layer(technique)
    with noise.draws(noise.key(0)):
        outputs = layer(tf.constant(X)).numpy()
    normal = np.asarray(_normal(layer, X))
    # Two positions of a channel tell its scale and shift.
    scale = (outputs[:, 0, 0] - outputs[:, 1, 1]) / (normal[:, 0, 0] - normal[:, 1, 1])
    shift = outputs[:, 0, 0] - scale * normal[:, 0, 0]
    np.testing.assert_allclose(scale * normal[:, 0, 2] + shift, outputs[:, 0, 2],
                               atol=2e-2)
    if technique == "Exemplar":  # Flipout shares the size of its noise.
        np.testing.assert_allclose(scale.mean(0), layer.gamma, atol=0.1)
        np.testing.assert_allclose(scale.std(0), [0.1, 0.2, 0.3, 0.4], rtol=0.15)
    signs = np.sign(scale - layer.gamma.numpy())
    assert (np.abs(signs.mean(0)) < 0.2).all()
    with noise.draws(noise.key(0), coherent=True):
        coherent = layer(tf.constant(X)).numpy()
    gain = (coherent[0, 0, 0] - coherent[0, 1, 1]) / (normal[0, 0, 0] - normal[0, 1, 1])
    shift = coherent[0, 0, 0] - gain * normal[0, 0, 0]
    np.testing.assert_allclose(coherent, gain * normal + shift, atol=1e-3)


def test_without_a_scale_or_channels_last_it_is_refused():
    for options in (dict(scale=False), dict(axis=1)):
        with pytest.raises(ValueError, match="last axis, with a scale"):
            layers.BatchNormalizationExemplar(**options).build((None, 4, 4, 2))
