"""Specs become layers, rates become dropout, wrong shapes become errors."""

import keras
import numpy as np
import pytest

from bdlzoo.core import registry
from bdlzoo.layers import ConcreteDropout, SpatialConcreteDropout
from bdlzoo.networks import blocks
from tests.networks.architectures import ALL, kinds


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
        layer = blocks.convolutional(
            "n", (8, 8, 1), 1, (blocks.Stage(4, 5, "same"),), (3,),
            conv=spec).layers[1]
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


def test_learnt_dropout_of_flat_features_is_of_units():
    spec = {"type": "SpatialConcreteDropout", "rate": 0.3}
    image, flat = keras.Input((4, 4, 2)), keras.Input((3,))
    model = keras.Model([image, flat],
                        [blocks.drop(image, spec), blocks.drop(flat, spec)])
    kinds = {type(layer): layer.initial_rate for layer in model.layers[2:]}
    assert kinds == {SpatialConcreteDropout: 0.3, ConcreteDropout: 0.3}
    model = keras.Model(flat, blocks.drop(flat, {"type": "ConcreteDropout"}))
    assert type(model.layers[1]) is ConcreteDropout


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


@pytest.mark.parametrize("build", ALL)
def test_specs_are_used_in_every_place(build):
    weights, biases, _ = ALL[build]
    network = build((28, 28, 1), conv={"type": "Conv2D", "use_bias": False},
                    layer=lambda units, **kwargs: keras.layers.Dense(
                        units, use_bias=False, **kwargs))
    assert network.count_params() == weights - biases
    network = build((28, 28, 1), layer={"type": "Dense", "use_bias": False},
                    output_layer="Dense", outputs=3)
    assert network.layers[-1].use_bias and not network.layers[-2].use_bias
    assert network.output_shape == (None, 3)


@pytest.mark.parametrize("build", ALL)
def test_file_round_trip_keeps_the_function(build, tmp_path):
    side = ALL[build][2]
    network = registry.build(build.__name__, input_shape=(side, side, 1), dropout=0.2)
    network.save(tmp_path / "network.keras")
    loaded = keras.saving.load_model(tmp_path / "network.keras")
    x = np.random.default_rng(0).normal(size=(3, side, side, 1)).astype("float32")
    np.testing.assert_array_equal(network(x), loaded(x))
    assert kinds(loaded) == kinds(network)


@pytest.mark.parametrize("build", ALL)
@pytest.mark.parametrize("wrong", [
    {"input_shape": (784,)}, {"input_shape": None}, {"outputs": -1},
    {"dropout": -0.1}, {"dropout_at": "hidden"}])
def test_wrong_arguments_are_named(build, wrong):
    if wrong.get("input_shape", ()) is None:
        wrong = {"input_shape": (ALL[build][2] - 1, 28, 1)}  # A pixel too small.
    name = "rate" if "dropout" in wrong else next(iter(wrong))
    with pytest.raises(ValueError, match=f"Received: {name}="):
        build(**{"input_shape": (28, 28, 1), **wrong})
