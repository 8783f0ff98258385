"""The perceptron with a flow has the parts that it is told."""

import keras
import numpy as np
import pytest

from bdlzoo.core import noise, registry
from bdlzoo.layers import SDEFlow
from bdlzoo.networks.sde_mlp import SDEMLP
from bdlzoo.surgery import conversion


def _kinds(network):
    return [type(layer).__name__ for layer in network.layers[1:]]


def _flow(network):
    [flow] = [layer for layer in network.layers if isinstance(layer, SDEFlow)]
    return flow


@pytest.mark.parametrize("diffusion, weights", [
    ("state", 51 * 50 + 50), ("scalar", 51 + 1), ("held", 51 * 100 + 100 + 101)])
def test_weights_are_those_of_sde_net_with_its_diffusion(diffusion, weights):
    """90 inputs, states of 50 that also know the time, two outputs."""
    network = SDEMLP((90,), outputs=2, diffusion=diffusion)
    drift = 51 * 50 + 50
    assert network.count_params() == 91 * 50 + drift + weights + 51 * 2
    assert network.output_shape == (None, 2)
    assert _flow(network).hold_diffusion == (diffusion == "held")


@pytest.mark.parametrize("diffusion", ["state", "scalar"])
def test_diffusion_starts_at_a_tenth_of_its_scale(diffusion):
    """What noise does to a state in one step without drift."""
    network = SDEMLP((3,), state=20, diffusion=diffusion, diffusion_scale=2.0,
                     num_steps=1, total_time=1.0)
    flow = _flow(network)
    conversion.adopt(network)
    states = np.random.default_rng(0).normal(size=(2000, 20)).astype("float32")
    with noise.draws(noise.key(0)):
        moved = flow(states) - flow.drift(
            np.concatenate([states, np.zeros((2000, 1), "float32")], 1)) - states
    np.testing.assert_allclose(np.std(moved), 0.2, rtol=0.03)
    np.testing.assert_allclose(flow.initial_diffusion(states), 0.1, rtol=1e-5)


def test_held_diffusion_starts_small_too():
    flow = _flow(SDEMLP((3,), diffusion="held"))
    states = np.random.default_rng(0).normal(size=(100, 50)).astype("float32")
    start = flow.initial_diffusion(states).numpy()
    assert start.shape == (100, 1)
    assert 0.02 < start.mean() < 0.3


def test_parts_stand_in_order_and_outputs_are_raw():
    network = SDEMLP((8, 8, 1), hidden=(16, 16), dropout=0.2)
    assert _kinds(network) == ["Flatten", "Dense", "Dropout", "Dense", "Dropout",
                               "Dense", "SDEFlow", "Dropout", "Dense"]
    assert network.layers[-1].activation is keras.activations.linear
    assert network.layers[2].activation is keras.activations.relu
    assert _flow(network).drift.activation is keras.activations.relu
    assert _kinds(SDEMLP((3,))) == ["Dense", "SDEFlow", "Dense"]


def test_flow_is_told_its_steps():
    flow = _flow(SDEMLP((3,), num_steps=7, total_time=2.0, diffusion_scale=0.3,
                        antithetic=False))
    assert (flow.num_steps, flow.total_time, flow.diffusion_scale) == (7, 2.0, 0.3)
    assert not flow.antithetic
    assert _flow(SDEMLP((3,))).antithetic


def test_config_finds_it_by_name():
    network = registry.build({"type": "sde_mlp", "state": 4}, input_shape=[3])
    assert network.output_shape == (None, 10)


def test_file_round_trip_keeps_the_function(tmp_path):
    network = SDEMLP((4, 2), hidden=(3,), outputs=2, diffusion="held")
    network.save(tmp_path / "network.keras")
    loaded = keras.saving.load_model(tmp_path / "network.keras")
    x = np.linspace(-1, 1, 24, dtype="float32").reshape(3, 4, 2)
    np.testing.assert_array_equal(network(x), loaded(x))


@pytest.mark.parametrize("wrong", [
    {"hidden": (4, -1)}, {"outputs": 0}, {"state": 0}, {"diffusion": "none"},
    {"num_steps": 0}, {"input_shape": ()}])
def test_wrong_arguments_are_named(wrong):
    with pytest.raises(ValueError, match=f"Received: {next(iter(wrong))}="):
        SDEMLP(**{"input_shape": (3,), **wrong})
