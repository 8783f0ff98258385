"""Specs become layers, rates become dropout, wrong shapes become errors."""

import keras
import pytest

from bdlzoo.networks import blocks


def _wide(size, **kwargs):
    return keras.layers.Dense(2 * size, **kwargs)


@pytest.mark.parametrize("spec, units, use_bias", [
    (None, 3, True),
    ("dense", 3, True),
    ({"type": "Dense", "use_bias": False}, 3, False),
    (_wide, 6, True),
], ids=["nothing", "name", "dictionary", "callable"])
def test_every_form_of_spec_makes_its_layer(spec, units, use_bias):
    layer = blocks.dense(spec, 3, "tanh")
    assert isinstance(layer, keras.layers.Dense)
    assert (layer.units, layer.use_bias) == (units, use_bias)
    assert layer.activation is keras.activations.tanh


def test_convolution_spec_keeps_filters_kernel_and_padding():
    for spec in (None, {"type": "SeparableConv2D"}, keras.layers.SeparableConv2D):
        layer = blocks.conv(spec, 4, 5, "same", "relu")
        assert isinstance(layer, keras.layers.SeparableConv2D) == bool(spec)
        assert (layer.filters, layer.kernel_size) == (4, (5, 5))
        assert layer.padding == "same"
        assert layer.activation is keras.activations.relu


def test_one_layer_for_all_places_is_refused():
    with pytest.raises(ValueError, match="Received: layer=mine"):
        blocks.dense(keras.layers.Dense(3, name="mine"), 3)


def test_unknown_layer_name_is_refused_with_a_close_one():
    with pytest.raises(ValueError, match="Dense"):
        blocks.dense({"type": "Dens"}, 3)


@pytest.mark.parametrize("dropout", [0, 0.0, {"type": "Dropout", "rate": 0.0}])
def test_rate_zero_adds_nothing(dropout):
    x = keras.Input((3,))
    assert blocks.drop(x, dropout) is x


def test_spatial_dropout_of_flat_features_is_plain_dropout():
    spec = {"type": "SpatialDropout2D", "rate": 0.3}
    image, flat = keras.Input((4, 4, 2)), keras.Input((3,))
    model = keras.Model([image, flat],
                        [blocks.drop(image, spec), blocks.drop(flat, spec)])
    kinds = {type(layer): layer.rate for layer in model.layers[2:]}
    assert kinds == {keras.layers.SpatialDropout2D: 0.3, keras.layers.Dropout: 0.3}


@pytest.mark.parametrize("dropout", [
    -0.1, 1.0, float("nan"), {"type": "GaussianDropout", "rate": 1.5}])
def test_rate_outside_its_range_is_refused(dropout):
    with pytest.raises(ValueError, match="Received: rate="):
        blocks.drop(keras.Input((3,)), dropout)


@pytest.mark.parametrize("dropout", [None, "Dropout", keras.layers.Dropout(0.1)])
def test_dropout_that_is_neither_rate_nor_dictionary_is_refused(dropout):
    with pytest.raises(ValueError, match="Received: dropout="):
        blocks.drop(keras.Input((3,)), dropout)


@pytest.mark.parametrize("sizes", [(), (3, 0), (-1,), (2.5,), 3, None, (None, 3)])
def test_sizes_must_be_positive_integers(sizes):
    with pytest.raises(ValueError, match="Received: hidden="):
        blocks.check_sizes("hidden", sizes)
