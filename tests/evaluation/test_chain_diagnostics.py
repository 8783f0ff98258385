"""Diagnostics of chains, by laws that are known."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.evaluation import chain_diagnostics
from bdlzoo.methods import SGLD, PreconditionedSGLD
from tests.families import quadratic

SIZE = 200
ROW = np.ones((1, 1), "float32")


def _model(size=SIZE, likelihood="gaussian", rate=0.05, network=None, **kwargs):
    model = SGLD(network or quadratic.network(size), likelihood,
                 **{"seed": 0, "prior_scale": None, **kwargs})
    model.compile(keras.optimizers.SGD(rate), metrics=[])
    return model


def _with_samples(samples):
    model = _model(samples.shape[2], num_kept=len(samples),
                   num_chains=samples.shape[1])
    model.build((None, 1))
    model.set_samples(samples)
    return model


def _normals(*shape):
    return np.random.default_rng(0).normal(size=shape).astype("float32")


def test_effective_size_is_that_of_the_known_chain():
    """Of an autoregression with rho = 1 - e A / 2: n (1 - rho) / (1 + rho)."""
    model = _model(num_chains=3, burn_in=64, num_kept=448)
    model.fit(quadratic.forever(SIZE), steps_per_epoch=512, num_data=1, verbose=0)
    found = chain_diagnostics.diagnose(model, ROW)
    rho = 1 - 0.1 * quadratic.CURVATURE / 2
    each = 448 * (1 - rho) / (1 + rho)
    assert found["effective_size"].shape == (1, SIZE)
    np.testing.assert_allclose(found["effective_size_mean"], 3 * each, rtol=0.15)
    assert found["effective_size_worst"] == found["effective_size"].min()
    assert 1.0 < found["r_hat_mean"] < found["r_hat_worst"] < 1.2
    alone = chain_diagnostics.effective_size(
        chain_diagnostics.predictions(model, ROW)[:, :1])
    np.testing.assert_allclose(alone.mean(), each, rtol=0.15)


def test_independent_samples_all_count_and_have_mixed():
    found = chain_diagnostics.diagnose(_with_samples(_normals(500, 4, 50)), ROW)
    np.testing.assert_allclose(found["effective_size_mean"], 2000, rtol=0.1)
    np.testing.assert_allclose(found["r_hat_mean"], 1.0, atol=0.01)


def test_chains_at_different_places_have_not_mixed():
    places = np.array([-1.0, 1.0], "float32")[:, None]
    still = np.broadcast_to(places, (8, 2, 1))
    assert chain_diagnostics.diagnose(_with_samples(still), ROW)[
        "r_hat_worst"] == np.inf
    # Means 2 apart, each of variance 0.01: about sqrt(2 / 0.01 * 4 / 3).
    near = still + 0.1 * _normals(8, 2, 1)
    assert chain_diagnostics.r_hat(near)[0] > 5


def test_a_trend_within_chains_is_seen():
    trend = np.linspace(0, 10, 100)[:, None, None] + _normals(100, 2, 1)
    assert chain_diagnostics.r_hat(trend)[0] > 1.5


def test_what_does_not_vary_is_left_out_of_the_mean():
    samples = _normals(500, 2, 3)
    samples[..., 1] = 7.0
    found = chain_diagnostics.diagnose(_with_samples(samples), ROW)
    np.testing.assert_array_equal(np.isnan(found["r_hat"]), [[False, True, False]])
    assert np.isfinite([found["r_hat_mean"], found["effective_size_worst"]]).all()


def test_classes_are_followed_by_the_probability_of_the_mean_class():
    network = keras.Sequential([keras.Input((2,)), keras.layers.Dense(3)])
    model = _model(likelihood="categorical", network=network, num_kept=6,
                   num_chains=2)
    model.build((None, 2))
    model.set_samples(_normals(6, 2, 9))
    x = _normals(5, 2)
    values = chain_diagnostics.predictions(model, x, batch_size=2)
    assert values.shape == (6, 2, 5)
    weights = model.kept_samples()[3, 1]
    logits = x @ weights[:6].reshape(2, 3) + weights[6:]
    labels = model.predict_uncertainty(x).label
    expected = tf.nn.softmax(logits).numpy()[np.arange(5), labels]
    np.testing.assert_allclose(values[3, 1], expected, rtol=1e-5)


def test_noise_ratio_is_the_known_variance_of_gradients():
    """Each gradient is 2 (2 w - y), so 4 Var(y) (1 - b / N) / b for a batch."""
    size, rows, batch, rate = 400, 50, 10, 0.01
    x, y = np.full((rows, 1), 2.0, "float32"), 3.0 * _normals(rows, size)
    model = _model(size, num_chains=2, rate=rate)
    model.fit(x, y, batch_size=rows, num_data=rows, verbose=0)
    found = chain_diagnostics.noise_ratio(model, x, y, 100, batch)
    variances = 4 * y.var(axis=0, ddof=1) * (1 - batch / rows) / batch
    step = 2 * rate / rows
    expected = step / 4 * rows**2 * variances
    np.testing.assert_allclose(found["mean"], expected.mean(), rtol=0.03)
    np.testing.assert_allclose(found["max"], expected.max(), rtol=0.5)

    # With momentum there is less noise on a gradient, at all rows none of theirs.
    model.optimizer.momentum = 0.9
    heavy = chain_diagnostics.noise_ratio(model, x, y, 100, batch)
    np.testing.assert_allclose(heavy["mean"], 10 * found["mean"], rtol=1e-5)
    assert chain_diagnostics.noise_ratio(model, x, y, 3, rows)["max"] < 1e-8


def test_one_chain_has_no_r_hat():
    found = chain_diagnostics.diagnose(_with_samples(_normals(50, 1, 2)), ROW)
    assert set(found) == {"effective_size", "effective_size_mean",
                          "effective_size_worst"}


def test_too_little_to_judge_by_is_an_error():
    with pytest.raises(ValueError, match="4 samples.*Received: 3"):
        chain_diagnostics.diagnose(_with_samples(_normals(3, 2, 1)), ROW)
    with pytest.raises(ValueError, match="num_chains.*1 chain"):
        chain_diagnostics.r_hat(_normals(9, 1, 1))
    model = _model(1)
    model.build((None, 1))
    with pytest.raises(ValueError, match="none was kept yet"):
        chain_diagnostics.diagnose(model, ROW)


def test_noise_ratio_needs_a_sampler_that_has_started():
    model, (x, y) = _model(3), quadratic.rows(3, 4)
    with pytest.raises(ValueError, match="without a step"):
        chain_diagnostics.noise_ratio(model, x, y, 5, 2)
    model.fit(x, y, verbose=0)
    with pytest.raises(ValueError, match="num_batches=1, batch_size=2"):
        chain_diagnostics.noise_ratio(model, x, y, 1, 2)
    with pytest.raises(ValueError, match="at most 4.*batch_size=5"):
        chain_diagnostics.noise_ratio(model, x, y, 5, 5)
    model.temperature = 0.0
    with pytest.raises(ValueError, match="temperature=0"):
        chain_diagnostics.noise_ratio(model, x, y, 5, 2)
    with pytest.raises(ValueError, match="PreconditionedSGLD"):
        chain_diagnostics.noise_ratio(
            PreconditionedSGLD(quadratic.network(3)), x, y, 5, 2)
