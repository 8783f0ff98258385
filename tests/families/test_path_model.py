"""Paths in one tall batch are the paths one by one."""

import time

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.families import PathModel
from bdlzoo.networks import MLP, SDEMLP

X = np.random.default_rng(0).normal(size=(5, 3)).astype("float32")


def _model(likelihood="heteroscedastic_gaussian", prior_scale=None, **kwargs):
    network = SDEMLP((3,), **{"hidden": (8,), "state": 4, "outputs": 2,
                              "diffusion_scale": 5.0, **kwargs})
    return PathModel(network, likelihood, prior_scale=prior_scale, seed=0)


def test_draws_are_the_paths_of_the_whole_network():
    model = _model()
    draws = model.sample_outputs(X, 3, seed=0)
    [key] = noise.split(noise.key(0, noise.PREDICT), 1)
    with noise.draws(key, coherent=True, count=3):
        whole = model.network(np.tile(X, (3, 1)), training=False)
    np.testing.assert_allclose(draws, tf.reshape(whole, (3, 5, 2)), atol=1e-5)
    assert np.ptp(draws, axis=0).min() > 1e-3


@pytest.mark.parametrize("antithetic", [False, True])
def test_draws_know_neither_batch_nor_count(antithetic):
    """25 paths take three turns, and not all of the last one counts."""
    model = _model(antithetic=antithetic)
    draws = model.sample_outputs(X, 25, seed=1).numpy()
    assert draws.shape == (25, 5, 2)
    for count in (1, 3, 10, 12):
        np.testing.assert_allclose(model.sample_outputs(X, count, seed=1),
                                   draws[:count], atol=1e-5)
    np.testing.assert_allclose(model.sample_outputs(X[3:4], 25, seed=1),
                               draws[:, 3:4], atol=1e-5)
    assert len(np.unique(draws[:, 0, 0])) == 25


def test_a_path_is_one_function_of_the_inputs():
    model = _model()
    draws = model.sample_outputs(np.concatenate([X, X[::-1]]), 12).numpy()
    np.testing.assert_allclose(draws[:, :5], draws[:, :4:-1], atol=1e-5)


def test_no_diffusion_leaves_no_doubt_of_the_model():
    model = _model(diffusion_scale=0.0)
    prediction = model.predict_uncertainty(X, 12)
    np.testing.assert_allclose(prediction.epistemic, 0.0, atol=1e-6)
    np.testing.assert_allclose(model.sample_outputs(X, 2)[1], model.network(X),
                               atol=1e-6)


def test_no_count_or_seed_retraces():
    model = _model()
    traces, draw = [], model.draw
    model.draw = lambda *args: traces.append(0) or draw(*args)
    for count, seed in ((3, 0), (4, 1), (30, 2)):
        model.sample_outputs(X, count, seed=seed)
    assert len(traces) == 1


def test_what_comes_before_the_flow_runs_once():
    model = _model()
    model.build((None, 3))
    names = [type(call.layer).__name__ for call in model._parts.before]
    assert names == ["Dense", "Dense"]
    assert [type(call.layer).__name__ for call in model._parts.after] == [
        "SDEFlow", "Dense"]


def test_other_noise_is_drawn_for_each_path():
    """Paths that stand still: dropout alone makes the draws differ."""
    model = _model(diffusion_scale=0.0, dropout=0.5)
    draws = model.sample_outputs(X, 12).numpy()
    assert len(np.unique(draws[:, 0, 0].round(5))) > 3
    np.testing.assert_allclose(model.sample_outputs(X, 4), draws[:4], atol=1e-5)


def test_images_and_classes_have_paths_too():
    network = SDEMLP((2, 2, 1), outputs=3)
    model = PathModel(network, seed=0)
    x = np.ones((4, 2, 2, 1), "float32")
    mean = model.predict_uncertainty(x, 11).mean
    assert mean.shape == (4, 3)
    np.testing.assert_allclose(np.sum(mean, axis=-1), 1.0, atol=1e-5)
    np.testing.assert_allclose(model.predict(x, verbose=0),
                               model.predict_uncertainty(x).mean, atol=1e-6)


def test_prior_weighs_all_weights():
    model = _model(prior_scale=0.5)
    model.build((None, 3))
    squares = sum(np.sum(w.numpy()**2) for w in model.network.trainable_variables)
    np.testing.assert_allclose(model.kl(), squares / (2 * 0.5**2), rtol=1e-5)
    assert _model().kl() is None
    assert model.get_config()["prior_scale"] == 0.5


def test_network_without_a_flow_is_refused():
    model = PathModel(MLP((3,), (4,), 2))
    with pytest.raises(ValueError, match="`SDEFlow`.*Received: network mlp"):
        model.build((None, 3))
    with pytest.raises(ValueError, match="num_samples=0"):
        PathModel(SDEMLP((3,)), num_samples=0)


def test_gradient_of_the_draws_reaches_every_row():
    model = _model()
    model.build((None, 3))
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        draws = model.draw(x, 12, noise.key(0))
    assert np.abs(tape.gradient(draws, x)).max(axis=1).min() > 0


@pytest.mark.slow
def test_ten_paths_cost_at_most_four_of_one(capsys):
    network = SDEMLP((784,), hidden=(400, 400), outputs=10)
    model = PathModel(network, seed=0)
    rows = tf.constant(keras.ops.ones((256, 784)))
    seconds = {1: [], 10: []}
    for _ in range(40):  # In turns, since machines are noisy.
        for count, taken in seconds.items():
            begin = time.perf_counter()
            model.sample_outputs(rows, count, seed=0).numpy()
            taken.append(time.perf_counter() - begin)
    one, ten = (1e3 * np.median(taken) for taken in seconds.values())
    with capsys.disabled():
        print(f"\nten paths = {ten / one:.2f} of one ({ten:.1f} ms, {one:.1f} ms)")
    assert ten <= 4.0 * one
