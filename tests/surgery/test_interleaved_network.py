"""Models side by side are what each of them would be alone."""

import keras
import numpy as np
import pytest

from bdlzoo.core import noise
from bdlzoo.families import weight_prior
from bdlzoo.likelihoods import Gaussian
from bdlzoo.methods import Deterministic, MCDropout, MeanFieldVI
from bdlzoo.networks import MLP
from bdlzoo.surgery.interleaved_network import InterleavedNetwork

COPIES = 3
X = np.random.default_rng(0).normal(size=(5 * COPIES, 4)).astype("float32")
Y = np.random.default_rng(1).normal(size=5 * COPIES).astype("float32")
NOISE = (0.5, 1.0, 2.0)


def _network(**kwargs):
    return MLP((4,), hidden=(6,), outputs=1, **kwargs)


def _together(method, network, **kwargs):
    model = method(InterleavedNetwork(network, COPIES, seed=1),
                   Gaussian(noise_scale=NOISE, copies=COPIES), seed=0, **kwargs)
    model.compile(keras.optimizers.SGD(0.01), metrics=[])
    model.build((None, 4))
    return model


def test_rows_take_turns():
    network = InterleavedNetwork(_network(), COPIES)
    network.build((None, 4))
    outputs = network(X)
    for copy in range(COPIES):
        np.testing.assert_allclose(
            outputs[copy::COPIES], network.get_copy(copy)(X[copy::COPIES]), rtol=1e-5)


@pytest.mark.parametrize("prior_scale", [None, 0.5])
def test_each_copy_learns_as_it_would_alone(prior_scale):
    model = _together(Deterministic, _network(), prior_scale=prior_scale)
    starts = [model.network.get_copy(copy) for copy in range(COPIES)]
    model.fit(X, Y, batch_size=5 * COPIES, epochs=3, verbose=0)
    assert float(model.num_data) == 5
    for copy, start in enumerate(starts):
        alone = Deterministic(start, Gaussian(noise_scale=NOISE[copy]),
                              prior_scale=prior_scale, seed=0)
        alone.compile(keras.optimizers.SGD(0.01), metrics=[])
        alone.fit(X[copy::COPIES], Y[copy::COPIES], batch_size=5, epochs=3, verbose=0)
        for a, b in zip(model.network.get_copy(copy).get_weights(),
                        alone.network.get_weights(), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)


def test_the_loss_that_is_shown_is_the_mean_of_the_copies():
    model = _together(Deterministic, _network(), prior_scale=0.5)
    logs, _ = model.objective(X, Y, None, noise.key(0))
    each = []
    for copy in range(COPIES):
        alone = Deterministic(model.network.get_copy(copy),
                              Gaussian(noise_scale=NOISE[copy]), prior_scale=0.5)
        alone.build((None, 4))
        each.append(alone.objective(
            X[copy::COPIES], Y[copy::COPIES], None, noise.key(0))[0])
    for name in ("loss", "nll", "kl"):
        np.testing.assert_allclose(
            logs[name], np.mean([log[name] for log in each]), rtol=1e-5)


def test_chunks_of_a_prediction_hold_whole_groups(monkeypatch):
    model = _together(MCDropout, _network(dropout=0.5))
    whole = model.sample_outputs(X, 2)
    monkeypatch.setattr("bdlzoo.surgery.memory.rows_at_once", lambda *bytes: 4)
    np.testing.assert_allclose(model.sample_outputs(X, 2), whole, rtol=1e-5)


def test_rows_of_a_copy_draw_masks_of_their_own_in_training():
    model = _together(MCDropout, _network(dropout=0.5, activation="tanh"),
                      num_train_samples=2)
    draws = np.asarray(model.train_draws(np.ones_like(X), noise.key(0)))  # [2, 15, 1]
    for copy in range(COPIES):  # Ten masks of six units.
        assert len(np.unique(draws[:, copy::COPIES].round(6))) > 3


def test_the_prior_of_a_copy_knows_the_dropout_before_its_kernel():
    network = _network(dropout=0.25)
    stacked = InterleavedNetwork(network, COPIES)
    stacked.build((None, 4))
    found = {weight.shape[1:]: share for weight, share in zip(
        stacked.trainable_variables, weight_prior.kept_shares(stacked), strict=True)}
    assert found == {(4, 6): 1.0, (6,): 1.0, (6, 1): 0.75, (1,): 1.0}


def test_learnt_rates_of_copies_are_refused():
    network = _network(dropout={"type": "ConcreteDropout"})
    with pytest.raises(ValueError, match="fixed rates .* layer=concrete_dropout"):
        _together(MCDropout, network, prior_scale=1.0)


def test_divergences_of_variational_copies_are_a_mean():
    model = _together(MeanFieldVI, _network(layer={"type": "DenseFlipout"}))
    logs, _ = model.objective(X, Y, None, noise.key(0))
    alone = [MeanFieldVI(model.network.get_copy(copy), "gaussian")
             for copy in range(COPIES)]
    for one in alone:
        one.build((None, 4))
    np.testing.assert_allclose(logs["kl"], np.mean([one.kl() for one in alone]),
                               rtol=1e-5)
    model.fit(X, Y, batch_size=5 * COPIES, epochs=1, verbose=0)


def test_model_comes_back_from_its_file(tmp_path):
    model = _together(MCDropout, _network(dropout=0.5), num_samples=3)
    model.save(tmp_path / "a.keras")
    other = keras.saving.load_model(tmp_path / "a.keras")
    np.testing.assert_allclose(other.sample_outputs(X), model.sample_outputs(X))


def test_rows_that_are_no_whole_groups_are_refused():
    model = _together(Deterministic, _network())
    with pytest.raises(ValueError, match="whole groups of 3"):
        model.fit(X[:-1], Y[:-1], batch_size=5 * COPIES, verbose=0)
    with pytest.raises(ValueError, match="whole groups of 3"):
        model.fit(X, Y, batch_size=4, verbose=0)
