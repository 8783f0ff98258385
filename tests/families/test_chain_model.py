"""Chains: what they end in, and what they keep."""

import json

import keras
import numpy as np
import pytest
import tensorflow as tf

import bdlzoo
from bdlzoo.core.sample_file import SampleFile
from bdlzoo.methods import SGLD
from tests.families import quadratic

SIZE = 2000


def _sgld(network, rate=0.05, likelihood="gaussian", **kwargs):
    options = {"seed": 0, "prior_scale": None, **kwargs}
    model = SGLD(network, likelihood, **options)
    model.compile(keras.optimizers.SGD(rate), metrics=[])
    return model


def _sampled(data, steps=400, num_data=1, rate=0.05, **kwargs):
    options = dict(burn_in=60, thinning=10, num_kept=100, **kwargs)
    model = _sgld(quadratic.network(SIZE), rate, **options)
    model.fit(data, steps_per_epoch=steps, num_data=num_data, verbose=0)
    return model


def test_stationary_variance_of_a_quadratic_energy():
    """T7.1: 1 / (A (1 - e A / 4)), e = 0.1."""
    model = _sampled(quadratic.forever(SIZE))
    assert int(model.num_stored) == 34
    np.testing.assert_allclose(quadratic.spread(model), 0.2778, rtol=0.02)


def test_noise_of_gradients_heats_the_chain():
    """T7.2: (1 + e V / 4) / (A (1 - e A / 4)), V = 9."""
    model = _sampled(quadratic.forever(SIZE, target_noise=1.5))
    np.testing.assert_allclose(quadratic.spread(model), 0.3403, rtol=0.02)


def test_twice_the_data_half_the_variance():
    """T7.9, at a step that is small for both."""
    x, y = quadratic.rows(SIZE)
    found = []
    for copies in (1, 2):
        model = _sgld(quadratic.network(SIZE), 0.02, burn_in=100, thinning=20,
                      num_kept=100)
        rows = tf.data.Dataset.from_tensors(
            (np.repeat(x, copies, 0), np.repeat(y, copies, 0))).repeat()
        model.fit(rows, steps_per_epoch=640, num_data=copies, verbose=0)
        step = 2 * 0.02 / copies
        curvature = 4.0 * copies
        found.append(quadratic.spread(model))
        np.testing.assert_allclose(
            found[-1], 1 / (curvature * (1 - step * curvature / 4)), rtol=0.03)
    np.testing.assert_allclose(found[0] / found[1], 2.0, rtol=0.04)


def test_temperature_scales_the_variance_and_the_prior_adds_its_precision():
    cold = _sampled(quadratic.forever(SIZE), temperature=0.25)
    np.testing.assert_allclose(quadratic.spread(cold), 0.2778 / 4, rtol=0.02)
    tight = _sgld(quadratic.network(SIZE), burn_in=60, thinning=10, num_kept=100,
                  prior_scale=0.5)  # A precision of 4 more.
    tight.fit(quadratic.forever(SIZE), steps_per_epoch=400, num_data=1, verbose=0)
    np.testing.assert_allclose(quadratic.spread(tight),
                               1 / (8 * (1 - 0.1 * 8 / 4)), rtol=0.02)


def test_conjugate_regression():
    """T7.3: mean and covariance of the posterior."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(64, 2)).astype("float32")
    y = (x @ [[1.0], [-0.5]] + 0.5 * rng.normal(size=(64, 1))).astype("float32")
    network = keras.Sequential([
        keras.Input((2,)), keras.layers.Dense(500, use_bias=False)])
    model = _sgld(network, 0.02, likelihood={"type": "Gaussian", "noise_scale": 0.5},
                  burn_in=200, thinning=20, num_kept=100, prior_scale=1.0)
    rows = tf.data.Dataset.from_tensors((x, np.repeat(y, 500, 1))).repeat()
    model.fit(rows, steps_per_epoch=1280, num_data=64, verbose=0)
    precision = x.T @ x / 0.25 + np.eye(2)
    covariance = np.linalg.inv(precision)
    mean = covariance @ (x.T @ y[:, 0]) / 0.25
    samples = model.kept_samples().reshape(-1, 2, 500)
    np.testing.assert_allclose(samples.mean((0, 2)), mean, atol=4e-3)
    centred = samples - mean[:, None]
    found = np.einsum("nis,njs->ij", centred, centred) / centred[:, 0].size
    step = 2 * 0.02 / 64
    exact = np.linalg.inv(precision @ (np.eye(2) - step / 4 * precision))
    np.testing.assert_allclose(np.diag(found), np.diag(exact), rtol=0.05)
    np.testing.assert_allclose(found[0, 1], exact[0, 1], atol=0.05 * exact[0, 0])


def test_without_noise_it_is_gradient_descent():
    """T7.6: SGD with step e N / 2 = h on the mean loss."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(32, 3)).astype("float32")
    y = rng.integers(0, 2, 32)
    network = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])
    model = _sgld(network, 0.1, "categorical", temperature=0.0)
    model.build((None, 3))
    plain = model.member(0) if int(model.num_stored) else model.network.get_copy(0)
    plain.compile(keras.optimizers.SGD(0.1), keras.losses.SparseCategoricalCrossentropy(
        from_logits=True))
    for fitted in (model, plain):
        fitted.fit(x, y, batch_size=32, epochs=5, verbose=0, shuffle=False)
    np.testing.assert_allclose(
        model.kept_samples()[-1, 0],
        np.concatenate([w.numpy().ravel() for w in plain.weights]), atol=1e-6)


def test_kept_are_the_newest_in_the_order_of_time():
    """Without a gradient's pull, each state is the last one and its noise."""
    model = _sgld(quadratic.network(3), 0.05, burn_in=4, thinning=3, num_kept=3,
                  num_chains=2)
    states = []

    class States(keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            [part] = model.network.parts()
            states.append(part.numpy().reshape(2, -1))

    model.compile(keras.optimizers.SGD(0.05), metrics=[], steps_per_execution=1)
    model.fit(quadratic.forever(3), steps_per_epoch=17, num_data=1, verbose=0,
              callbacks=[States()])
    # Steps 7, 10, 13 and 16 (from 1 on): the last three are kept.
    assert int(model.num_stored) == 4
    np.testing.assert_array_equal(model.kept_samples(), states[9:16:3])
    assert not np.array_equal(states[9][0], states[9][1])


def test_falling_steps_are_kept_equally_far_apart_in_time():
    model = _sgld(quadratic.network(1), bdlzoo.PolynomialSteps(0.1, 5.0, 1.0),
                  burn_in=5, thinning=2, num_kept=50)
    kept = []

    class Kept(keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            kept.append(int(model.num_stored))

    model.compile(model.optimizer, metrics=[], steps_per_execution=1)
    model.fit(quadratic.forever(1), steps_per_epoch=80, num_data=1, verbose=0,
              callbacks=[Kept()])
    paces = np.array([(5 + 5) / (5 + t) if t >= 5 else 0.0 for t in range(80)])
    np.testing.assert_array_equal(kept, np.floor(np.cumsum(paces) / 2 + 1e-6))


def test_chains_are_independent():
    """Each has the whole prior: a precision of 4 more."""
    model = _sampled(quadratic.forever(SIZE), num_chains=2, prior_scale=0.5)
    first, second = np.moveaxis(model.kept_samples(), 1, 0)
    assert abs(np.corrcoef(first.ravel(), second.ravel())[0, 1]) < 0.02
    np.testing.assert_allclose(np.mean(first**2), 1 / (8 * (1 - 0.1 * 8 / 4)),
                               rtol=0.03)


def test_all_samples_go_to_a_file_and_a_killed_run_goes_on(tmp_path):
    """Bit for bit, and what the kill left half-written is dropped."""
    def run(folder, epochs):
        model = _sgld(quadratic.network(4), thinning=2, num_kept=3,
                      sample_file=tmp_path / folder / "samples")
        x, y = quadratic.rows(4, count=10)
        model.fit(x, y, batch_size=1, epochs=epochs, verbose=0,
                  checkpoint_dir=tmp_path / folder / "checkpoints")
        return model, SampleFile(tmp_path / folder / "samples", model.flat)

    model, file = run("whole", 3)
    samples = file.samples()
    assert samples.shape == (15, 1, 4)
    np.testing.assert_array_equal(samples[-3:], model.kept_samples())
    _, file = run("cut", 2)
    file.append(np.full((2, 1, 4), 7.0))
    with open(file.path, "ab") as handle:
        handle.write(b"half")
    _, file = run("cut", 3)
    np.testing.assert_array_equal(file.samples(), samples)
    with pytest.raises(ValueError, match="Expected a new file"):
        fresh = _sgld(quadratic.network(4), sample_file=file.path)
        fresh.fit(*quadratic.rows(4), verbose=0)
    np.testing.assert_array_equal(file.samples(), samples)


def test_a_call_of_too_many_steps_would_lose_samples(tmp_path):
    model = _sgld(quadratic.network(4), num_kept=3, sample_file=tmp_path / "s")
    model.compile(keras.optimizers.SGD(0.1), metrics=[], steps_per_execution=5)
    with pytest.raises(ValueError, match="at most 3"):
        model.fit(*quadratic.rows(4, count=5), batch_size=1, verbose=0)


def test_a_likelihood_that_learns_is_fitted_without_noise():
    """Its noise scale moves as one minimiser, not by the chains' noise."""
    noisy = {"type": "Gaussian", "noise_scale": 1.0, "learn_noise": True}
    found = []
    for temperature in (0.0, 1.0):
        model = _sgld(quadratic.network(1), 1e-3, noisy, temperature=temperature)
        model.fit(quadratic.forever(1), steps_per_epoch=1, num_data=1, verbose=0)
        found.append(model.likelihood.log_noise.numpy())
    np.testing.assert_allclose(found[0], found[1], atol=1e-6)


@pytest.mark.parametrize("options, words", [
    (dict(temperature=-1.0), "temperature=-1.0"), (dict(burn_in=-1), "burn_in=-1"),
    (dict(thinning=0), "thinning=0"), (dict(num_kept=0), "num_kept=0"),
    (dict(num_chains=0), "num_chains=0")])
def test_what_is_no_chain_is_refused(options, words):
    with pytest.raises(ValueError, match=words):
        _sgld(quadratic.network(1), **options)


@pytest.mark.parametrize("optimizer, words", [
    ("adam", "Adam"), (keras.optimizers.SGD(0.1, nesterov=True), "nesterov"),
    (keras.optimizers.SGD(0.1, weight_decay=0.1), "weight_decay"),
    (keras.optimizers.SGD(0.1, clipnorm=1.0), "clipnorm"),
    (keras.optimizers.SGD(0.1, momentum=0.9), "SGHMC")])
def test_noise_goes_with_plain_steps(optimizer, words):
    model = SGLD(quadratic.network(1), "gaussian")
    with pytest.raises(ValueError, match=words):
        model.compile(optimizer)


def test_samples_that_memory_cannot_hold_are_refused():
    model = _sgld(quadratic.network(1000), num_kept=2_000_000)
    with pytest.raises(ValueError, match="sample_file.*num_kept=2000000"):
        model.build((None, 1))


def test_many_steps_go_into_a_call_however_many_samples_are_kept():
    model = _sgld(quadratic.network(1), num_kept=2_000_000)
    model.fit(quadratic.forever(1), steps_per_epoch=64, num_data=1, verbose=0)
    assert model.steps_per_execution == 32


def test_config_says_all(tmp_path):
    model = _sgld(quadratic.network(1), burn_in=3, thinning=2, num_kept=7,
                  num_chains=2, temperature=0.5, sample_file=tmp_path / "s")
    config = json.loads(json.dumps(model.get_config()))
    again = SGLD.from_config(config).get_config()
    assert {**again, "network": config["network"]} == config
    assert (again["num_chains"], again["num_kept"], again["sample_file"]) == (
        2, 7, str(tmp_path / "s"))


def test_run_that_is_stopped_before_its_first_sample_goes_on(tmp_path):
    """In the first epoch, and after one that kept no sample."""
    x, y = quadratic.rows(4, count=8)

    class Stop(keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            raise KeyboardInterrupt

    def fit(epochs, *callbacks, folder="a"):
        model = _sgld(quadratic.network(4), burn_in=3, num_kept=2,
                      sample_file=tmp_path / folder / "samples")
        model.fit(x, y, batch_size=4, epochs=epochs, verbose=0,
                  callbacks=list(callbacks), checkpoint_dir=tmp_path / folder)
        return SampleFile(tmp_path / folder / "samples", model.flat).samples()

    with pytest.raises(KeyboardInterrupt):
        fit(3, Stop())
    assert len(fit(1)) == 0
    np.testing.assert_array_equal(fit(3), fit(3, folder="whole"))
