"""The perceptron has the sizes, the layers and the dropout it is told."""

import keras
import numpy as np
import pytest

from bdlzoo.core import registry
from bdlzoo.networks.mlp import MLP


def _kinds(network):
    return [type(layer).__name__ for layer in network.layers[1:]]


def test_weights_are_those_of_784_400_400_10():
    network = MLP((784,), hidden=(400, 400))
    assert network.count_params() == 478_410
    assert network.output_shape == (None, 10)


def test_outputs_are_raw():
    network = MLP((3,), hidden=(4,), outputs=2)
    assert network.layers[-1].activation is keras.activations.linear
    assert network.layers[-2].activation is keras.activations.relu


def test_images_are_flattened():
    network = MLP((8, 8, 1), hidden=(5,))
    assert _kinds(network) == ["Flatten", "Dense", "Dense"]
    assert network.count_params() == 65 * 5 + 60


@pytest.mark.parametrize("place, expected", [
    ("hidden", ["Dense", "Dropout", "Dense", "Dropout", "Dense"]),
    ("all", ["Dropout", "Dense", "Dropout", "Dense", "Dropout", "Dense"]),
    ("last", ["Dense", "Dense", "Dropout", "Dense"]),
])
def test_dropout_sits_where_it_is_told(place, expected):
    network = MLP((3,), hidden=(4, 4), dropout=0.5, dropout_at=place)
    assert _kinds(network) == expected
    without = MLP((3,), hidden=(4, 4), dropout_at=place)
    assert _kinds(without) == ["Dense"] * 3


def test_dropout_spec_is_used():
    spec = {"type": "GaussianDropout", "rate": 0.1}
    network = MLP((3,), hidden=(4,), dropout=spec)
    assert _kinds(network) == ["Dense", "GaussianDropout", "Dense"]
    assert network.layers[2].rate == 0.1


def test_layer_spec_is_used_everywhere_unless_the_output_has_its_own():
    free = {"type": "Dense", "use_bias": False}
    network = MLP((3,), hidden=(4, 5), outputs=2, layer=free)
    assert network.count_params() == 3 * 4 + 4 * 5 + 5 * 2
    network = MLP((3,), hidden=(4, 5), outputs=2, layer=free,
                  output_layer="Dense")
    assert network.count_params() == 3 * 4 + 4 * 5 + 5 * 2 + 2


def test_config_finds_it_by_name():
    network = registry.build({"type": "mlp", "hidden": [4]}, input_shape=[3])
    assert network.output_shape == (None, 10)


def test_file_round_trip_keeps_the_function(tmp_path):
    network = MLP((4, 2), hidden=(3,), outputs=2, dropout=0.2)
    network.save(tmp_path / "mlp.keras")
    loaded = keras.saving.load_model(tmp_path / "mlp.keras")
    x = np.linspace(-1, 1, 24, dtype="float32").reshape(3, 4, 2)
    np.testing.assert_array_equal(network(x), loaded(x))
    assert _kinds(loaded) == _kinds(network)


@pytest.mark.parametrize("wrong", [
    {"hidden": (4, -1)}, {"outputs": 0}, {"dropout": 1.0},
    {"dropout_at": "everywhere"}, {"input_shape": ()}, {"input_shape": (None,)}])
def test_wrong_arguments_are_named(wrong):
    name = "rate" if "dropout" in wrong else next(iter(wrong))
    with pytest.raises(ValueError, match=f"Received: {name}="):
        MLP(**{"input_shape": (3,), **wrong})


def test_no_hidden_layer_is_a_linear_model():
    network = MLP((3,), hidden=(), outputs=2, dropout=0.5)
    assert [type(layer).__name__ for layer in network.layers] == [
        "InputLayer", "Dense"]
