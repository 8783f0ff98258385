"""Kernels of a length that is learnt apart from their direction."""

import keras
import numpy as np
import pytest

from bdlzoo.layers import WeightNormalization

RNG = np.random.default_rng(0)
X = RNG.normal(size=(3, 6, 6, 2)).astype("float32")
LAYERS = {
    "dense": lambda: keras.layers.Dense(4, use_bias=False),
    "conv": lambda: keras.layers.Conv2D(4, 3, 2, "same", use_bias=False),
    "transposed": lambda: keras.layers.Conv2DTranspose(4, 3, 2, "same", use_bias=False)}


@pytest.mark.parametrize("name", LAYERS)
def test_layer_starts_as_the_plain_one(name):
    layer = WeightNormalization(LAYERS[name](), "relu")
    found = layer(X)
    np.testing.assert_allclose(found, np.maximum(layer.layer(X), 0.0), atol=1e-5)
    assert layer.compute_output_shape(X.shape) == tuple(found.shape)
    assert layer.bias.shape == layer.scale.shape == (4,)


@pytest.mark.parametrize("name", LAYERS)
def test_length_of_the_kernel_does_not_matter(name):
    layer = WeightNormalization(LAYERS[name]())
    layer.build(X.shape)
    layer.scale.assign(RNG.uniform(1.0, 2.0, size=4))
    layer.bias.assign(RNG.normal(size=4))
    before = np.asarray(layer(X))
    kernel = layer.layer.kernel
    # Each output has its own: the last axis, or the last but one of a transposed one.
    shape = (4, 1) if name == "transposed" else (4,)
    kernel.assign(kernel * RNG.uniform(0.5, 2.0, size=shape))
    np.testing.assert_allclose(layer(X), before, rtol=1e-4, atol=1e-5)
    # Units of kernel: by hand.
    axes = (0, 1, 3) if name == "transposed" else tuple(range(len(kernel.shape) - 1))
    norms = np.sqrt(np.sum(np.square(kernel), axis=axes))
    by_hand = np.asarray(layer.layer(X)) / norms * layer.scale + layer.bias
    np.testing.assert_allclose(by_hand, before, rtol=1e-4, atol=1e-5)


def test_layer_is_saved_with_its_activation(tmp_path):
    network = keras.Sequential([keras.Input((6, 6, 2)), WeightNormalization(
        LAYERS["conv"](), "leaky_relu")])
    network.layers[0].scale.assign([1.0, 2.0, 3.0, 4.0])
    network.save(tmp_path / "network.keras")
    again = keras.saving.load_model(tmp_path / "network.keras")
    np.testing.assert_allclose(again(X), network(X), atol=1e-6)


@pytest.mark.parametrize("inside", [
    keras.layers.Dense(4), keras.layers.Dense(4, "relu", use_bias=False),
    keras.layers.Flatten()])
def test_layers_that_do_not_fit_are_refused(inside):
    with pytest.raises(ValueError, match="use_bias=False"):
        WeightNormalization(inside).build((3, 6))
