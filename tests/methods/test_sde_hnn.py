"""SDE-HNN: its limit without noise, its pairs of paths, what it refuses."""

import keras
import numpy as np
import pytest

from bdlzoo.core import noise
from bdlzoo.methods import SDEHNN, Deterministic
from bdlzoo.networks import MLP, SDEMLP

RNG = np.random.default_rng(0)
X = RNG.normal(size=(64, 3)).astype("float32")
Y = (X @ np.array([[1.0], [-2.0], [0.5]]) + 0.1 * RNG.normal(size=(64, 1))).astype(
    "float32")
NOISE = "heteroscedastic_gaussian"


def _network(**kwargs):
    return SDEMLP((3,), **{"hidden": (8,), "state": 4, "outputs": 2, **kwargs})


def test_training_without_diffusion_is_that_of_a_deterministic_network():
    networks = [_network(diffusion_scale=0.0), _network(diffusion_scale=0.0)]
    networks[1].set_weights(networks[0].get_weights())
    for kind, network in zip((SDEHNN, Deterministic), networks):
        model = kind(network, NOISE, prior_scale=0.5)
        model.compile(keras.optimizers.SGD(0.01))
        model.fit(X, Y, batch_size=16, epochs=2, shuffle=False, verbose=0)
    for a, b in zip(*(network.get_weights() for network in networks), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-5)


def test_loss_is_the_mean_over_paths_of_the_gaussian_one():
    model = SDEHNN(_network(diffusion_scale=5.0), NOISE, num_train_samples=3)
    model.build((None, 3))
    key = noise.key(0, noise.TRAIN)
    logs, _ = model.objective(X, Y, None, key)
    draws = model.train_draws(X, key).numpy()
    mean, variance = draws[..., :1], np.log1p(np.exp(draws[..., 1:])) + 1e-6
    losses = 0.5 * np.log(2 * np.pi * variance) + (Y - mean)**2 / (2 * variance)
    assert draws.shape == (3, 64, 2)
    assert np.ptp(losses.mean(axis=(1, 2))) > 1e-3
    np.testing.assert_allclose(logs["loss"], losses.mean(), rtol=1e-4)


def test_two_training_paths_are_mirrored():
    """No drift and a constant diffusion: what noise adds cancels in the pair."""
    network = _network(diffusion_scale=5.0)
    model = SDEHNN(network, NOISE)
    model.build((None, 3))
    [flow] = model.flows()
    flow.drift.set_weights([0.0 * w for w in flow.drift.get_weights()])
    one, other = model.train_draws(X, noise.key(0, noise.TRAIN)).numpy()
    still = network(X).numpy()
    assert np.abs(one - still).mean() > 0.1
    np.testing.assert_allclose((one + other) / 2, still, atol=1e-5)


def test_noise_of_the_data_is_learnt_where_it_is():
    """No signal, noise of 0.1 and of 1: the likelihood finds both."""
    x = np.repeat([[-1.0], [1.0]], 256, axis=0).astype("float32")
    y = np.where(x < 0, 0.1, 1.0) * RNG.normal(size=(512, 1))
    model = SDEHNN(SDEMLP((1,), hidden=(16,), state=8, outputs=2), NOISE, seed=0)
    model.compile(keras.optimizers.Adam(0.01))
    model.fit(x, y.astype("float32"), batch_size=64, epochs=40, verbose=0)
    prediction = model.predict_uncertainty(x[[0, -1]], 50)
    np.testing.assert_allclose(np.ravel(prediction.std), [0.1, 1.0], rtol=0.3)


def test_file_round_trip_keeps_the_paths(tmp_path):
    model = SDEHNN(_network(), NOISE, num_samples=7, prior_scale=2.0)
    draws = model.sample_outputs(X, 4, seed=1)
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    np.testing.assert_allclose(loaded.sample_outputs(X, 4, seed=1), draws, atol=1e-6)
    assert (loaded.num_samples, loaded.num_train_samples) == (7, 2)
    assert loaded.prior_scale == 2.0


def test_networks_without_flow_or_with_a_held_one_are_refused():
    with pytest.raises(ValueError, match="`SDEFlow`"):
        SDEHNN(MLP((3,), (4,), 2), NOISE).build((None, 3))
    with pytest.raises(ValueError, match="every step.*hold_diffusion=True"):
        SDEHNN(_network(diffusion="held"), NOISE).build((None, 3))
