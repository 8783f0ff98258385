"""Replacements inside of custom layers, and their files."""

import keras
import numpy as np
import pytest

from bdlzoo.layers import DenseFlipout
from bdlzoo.surgery.edited_layer import EditedLayer
from tests.surgery import strange_networks

X = np.random.default_rng(0).normal(size=(2, 5, 8)).astype("float32")


def _edited():
    dense = keras.layers.Dense(8, kernel_initializer="zeros", bias_initializer="ones")
    attention = keras.layers.MultiHeadAttention(2, 4)
    return EditedLayer(strange_networks.Block(), [
        (("mlp",), dense),
        (("attention",), EditedLayer(attention, [(("_output_dense",), (
            keras.layers.EinsumDense("abcd,cde->abe", (None, 8),
                                     kernel_initializer="zeros")))]))])


def test_layers_made_in_init_and_in_build_are_replaced():
    layer = _edited()
    # Attention adds nothing, and the perceptron one.
    np.testing.assert_allclose(layer(X), X + layer.layer.shift + 1.0, atol=1e-6)
    assert isinstance(layer.layer.mlp, keras.layers.Dense)
    assert layer.layer.attention.layer._output_dense.built


def test_config_and_weights_keep_the_replacements(tmp_path):
    inputs = keras.Input((5, 8))
    network = keras.Model(inputs, _edited()(inputs))
    network.layers[1].layer.mlp.kernel.assign(np.eye(8))
    network.save(tmp_path / "edited.keras")
    loaded = keras.saving.load_model(tmp_path / "edited.keras")
    np.testing.assert_array_equal(loaded(X), network(X))
    assert [w.shape for w in loaded.weights] == [w.shape for w in network.weights]


def test_a_layer_that_builds_its_parts_by_hand_is_loaded(tmp_path):
    inputs = keras.Input((5, 8))
    edited = EditedLayer(strange_networks.Builder(8), [(("dense",), DenseFlipout(8))])
    network = keras.Model(inputs, edited(inputs))
    network.save(tmp_path / "built.keras")
    loaded = keras.saving.load_model(tmp_path / "built.keras")
    np.testing.assert_array_equal(loaded(X), network(X))


def test_a_part_that_is_built_and_never_called_has_its_weights():
    class Tied(keras.layers.Layer):
        def build(self, shape):
            self.dense = keras.layers.Dense(8)
            self.dense.build(shape)

        def call(self, inputs):
            return inputs @ self.dense.kernel

    dense = keras.layers.Dense(8, kernel_initializer="identity")
    edited = EditedLayer(Tied(), [(("dense",), dense)])
    np.testing.assert_allclose(edited(X), X, atol=1e-6)


def test_training_and_masks_reach_the_layer():
    class Both(keras.layers.Layer):
        def __init__(self):
            super().__init__()
            self.supports_masking = True
            self.dense = keras.layers.Dense(1)

        def call(self, inputs, training=False, mask=None):
            factor = 2.0 if training else 1.0
            return factor * inputs * keras.ops.cast(mask, "float32")[..., None]

    inputs = keras.Input((3, 1))
    masked = keras.layers.Masking()(inputs)
    outputs = EditedLayer(Both(), [(("dense",), DenseFlipout(1))])(masked)
    network = keras.Model(inputs, outputs)
    x = np.array([[[1.0], [0.0], [3.0]]], "float32")
    np.testing.assert_array_equal(network(x, training=True), 2 * x)
    np.testing.assert_array_equal(network(x), x)
    np.testing.assert_array_equal(network(x)._keras_mask, [[True, False, True]])


def test_a_layer_that_is_made_in_a_call_cannot_be_replaced():
    class Late(keras.layers.Layer):
        def call(self, inputs):
            return inputs

    layer = EditedLayer(Late(), [(("dense",), keras.layers.Dense(2))])
    with pytest.raises(ValueError, match="in `__init__` or `build`.*Late.*dense"):
        layer(X)
