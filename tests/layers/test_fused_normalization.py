"""BatchNorm in one kernel is that of Keras."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.layers.fused_normalization import FusedNormalization

RNG = np.random.default_rng(0)
X = tf.constant(RNG.normal(1.0, 3.0, size=(2, 3, 4, 5)).astype("float32"))


@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.parametrize("training", [False, True])
def test_outputs_gradients_and_averages_are_those_of_keras(affine, training):
    found = []
    for kind in (FusedNormalization, keras.layers.BatchNormalization):
        layer = kind(center=affine, scale=affine, momentum=0.9)
        layer.build(X.shape)
        for place, weight in enumerate(layer.weights):
            weight.assign(np.linspace(0.5, 1.5 + place, 5))
        with tf.GradientTape() as tape:
            tape.watch(X)
            outputs = layer(X, training=training)
            loss = tf.reduce_sum(outputs**3)
        found.append([outputs, *layer.weights, *tape.gradient(
            loss, [X, *layer.trainable_variables])])
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-3)


def test_frozen_it_keeps_its_averages():
    layer = FusedNormalization()
    layer.build(X.shape)
    layer.trainable = False
    np.testing.assert_allclose(layer(X, training=True), X / np.sqrt(1.001), rtol=1e-5)
    np.testing.assert_array_equal(layer.moving_mean, np.zeros(5))


def test_half_precision_keeps_averages_in_single():
    layer = FusedNormalization(dtype="mixed_bfloat16")
    outputs = layer(tf.cast(X, tf.bfloat16), training=True)
    assert outputs.dtype == "bfloat16" and layer.moving_mean.dtype == "float32"
    assert np.isfinite(np.asarray(outputs, "float32")).all()
