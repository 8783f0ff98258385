"""Alpha-divergence dropout: limits, power means, a conjugate value, gradients."""

import functools
import json

import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from bdlzoo import layers
from bdlzoo.core import noise
from bdlzoo.likelihoods import Gaussian
from bdlzoo.methods import AlphaDivergenceDropout, MCDropout
from bdlzoo.networks import MLP

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(16, 5)).astype("float32")
Y = RANDOM.integers(3, size=16)
LOG_PROBS = tf.constant(-RANDOM.gamma(2.0, size=(6, 4)), tf.float32)  # [S, B]
KEY = noise.key(3)
RAMP = {"type": "PolynomialDecay", "initial_learning_rate": 0.0,
        "end_learning_rate": 1.0, "decay_steps": 2}


def _model(alpha=0.5, kind=AlphaDivergenceDropout, outputs=3, network=None,
           likelihood="categorical", **kwargs):
    if kind is AlphaDivergenceDropout:
        kwargs["alpha"] = alpha
    network = network or MLP((5,), (8,), outputs, dropout=0.4, dropout_at="all")
    model = kind(network, likelihood, seed=0, **kwargs)
    model.compile(keras.optimizers.SGD(0.0), metrics=[])
    model.build((None, 5))
    return model


def _loss(alpha, log_probs=LOG_PROBS):
    return _model(alpha).data_loss(log_probs).numpy()


@functools.cache
def _scheduled():
    return _model(RAMP)


def _at(alpha):
    """A model whose alpha is a tensor, as of a schedule in a graph."""
    _scheduled().current_alpha = lambda: tf.constant(alpha, tf.float32)
    return _scheduled()


# The data term, for fixed draws.


@pytest.mark.parametrize("alpha", [0.1, 0.5, 1.0, -1.0])
def test_one_draw_is_its_own_mean(alpha):
    np.testing.assert_array_equal(_loss(alpha, LOG_PROBS[:1]), -LOG_PROBS[0])


def test_small_alpha_is_the_mean_and_half_the_variance():
    mean, variance = (f(LOG_PROBS, 0) for f in (np.mean, np.var))
    np.testing.assert_allclose(_loss(0.0), -mean, rtol=1e-6)
    for alpha in (1e-3, 1e-5, 1e-8):
        expected = -(mean + alpha / 2 * variance)
        # What follows is of the order alpha**2; 2e-6 is float32.
        np.testing.assert_allclose(_loss(alpha), expected, atol=alpha**2 + 2e-6)
    assert (_loss(1e-3) < _loss(0.0)).all()


def test_alpha_one_is_the_likelihood_of_the_mean():
    expected = -np.log(np.exp(LOG_PROBS.numpy().astype("float64")).mean(0))
    np.testing.assert_allclose(_loss(1.0), expected, rtol=1e-5)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.floats(-1e4, 0.0, width=32), min_size=1, max_size=12),
       st.floats(-3.0, 3.0, width=32), st.floats(-3.0, 3.0, width=32))
def test_loss_falls_with_alpha_between_the_draws(log_probs, one, other):
    """Power means grow with their order, from the worst draw to the best."""
    values = tf.constant(log_probs, tf.float32)[:, None]
    high, low = (float(_at(a).data_loss(values)[0]) for a in sorted((one, other)))
    error = 1e-5 * (1.0 - min(log_probs))
    assert -max(log_probs) - error <= low <= high + error
    assert high <= -min(log_probs) + error


@pytest.mark.parametrize("alpha", [-0.5, 0.5, 2.0])
def test_gradient_is_a_softmax_over_draws(alpha):
    losses = -LOG_PROBS
    with tf.GradientTape() as tape:
        tape.watch(losses)
        loss = tf.reduce_mean(_model(alpha).data_loss(-losses))
    np.testing.assert_allclose(tape.gradient(loss, losses),
                               tf.nn.softmax(-alpha * losses, axis=0) / 4,
                               rtol=1e-5)


def test_conjugate_gaussian_has_its_closed_form():
    """log E[N(y; w, g)**a] for w ~ N(m, s): -0.77768 at these numbers."""
    m, s, g, y, alpha, count = 0.3, 0.7, 0.5, 1.1, 0.5, 400_000
    model = _model(alpha, outputs=1, likelihood=Gaussian(g))

    def log_moment(a):
        wide = g**2 + a * s**2
        return (-a / 2 * np.log(2 * np.pi * g**2) + 0.5 * np.log(g**2 / wide)
                - a * (y - m)**2 / (2 * wide))

    assert log_moment(alpha) == pytest.approx(-0.77768, abs=5e-6)
    draws = m + s * noise.normal([count, 1, 1], noise.key(1))
    log_probs = model.likelihood.log_prob(np.full((1, 1), y), draws)
    value = -alpha * float(model.data_loss(log_probs)[0])
    # Relative spread of p**a, whose mean has the log that is estimated.
    spread = np.sqrt(np.exp(log_moment(2 * alpha) - 2 * log_moment(alpha)) - 1)
    assert abs(value - log_moment(alpha)) < 4 * spread / np.sqrt(count) < 0.006


def test_order_and_copies_of_draws_do_not_matter():
    np.testing.assert_allclose(_loss(0.5, LOG_PROBS[::-1]), _loss(0.5), rtol=1e-6)
    twice = tf.concat([LOG_PROBS, LOG_PROBS], axis=0)
    np.testing.assert_allclose(_loss(0.5, twice), _loss(0.5), rtol=1e-6)


@pytest.mark.parametrize("alpha", [0.0, 1e-12, 5e-5, -5e-5, 0.5, -1.0])
def test_huge_logits_and_tiny_alphas_give_numbers(alpha):
    """Scheduled, so that all branches are in the graph; gradients as well."""
    model = _at(alpha)
    logits = tf.constant(1e6 * RANDOM.normal(size=(6, 4, 3)), tf.float32)
    with tf.GradientTape() as tape:
        tape.watch(logits)
        log_probs = model.likelihood.log_prob(Y[:4], logits)
        loss = tf.reduce_mean(model.data_loss(log_probs))
    gradient = tape.gradient(loss, logits)
    assert np.isfinite(loss) and np.isfinite(gradient).all()
    # Weights of draws stay a softmax: an expansion would leave [0, 1] here.
    assert abs(gradient.numpy()).max() <= 0.25 + 1e-6


def test_scheduled_and_fixed_alpha_agree():
    for alpha in (0.0, 0.5, -1.0):
        np.testing.assert_allclose(_at(alpha).data_loss(LOG_PROBS), _loss(alpha),
                                   rtol=1e-6)


# The method.


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0, -2.0])
def test_one_draw_a_step_is_vi_whatever_alpha(alpha):
    """The same noise, so the same loss as MC dropout."""
    options = {"num_train_samples": 1, "prior_scale": 0.5, "num_data": 16}
    model = _model(alpha, **options)
    other = _model(kind=MCDropout, network=model.network, **options)
    ours, theirs = (m.objective(X, Y, None, KEY)[0]["loss"]
                    for m in (model, other))
    np.testing.assert_allclose(ours, theirs, rtol=1e-6)


def test_loss_is_data_term_and_prior_over_num_data():
    model = _model(0.5, num_train_samples=4, length_scale=2.0)
    model.num_data.assign(10)
    logs, _ = model.objective(X, Y, None, KEY)
    log_probs = model.likelihood.log_prob(Y, model.train_draws(X, KEY)).numpy()
    data = -2.0 * np.log(np.exp(0.5 * log_probs).mean(0)).mean()
    assert log_probs.std(0).min() > 0
    np.testing.assert_allclose(logs["nll"], data, rtol=1e-5)
    np.testing.assert_allclose(logs["loss"], data + model.kl() / 10, rtol=1e-5)


def test_outputs_are_summed_before_draws_are_weighed():
    model = _model(1.0, outputs=2, likelihood=Gaussian(0.5), num_train_samples=7)
    y = RANDOM.normal(size=(16, 2)).astype("float32")
    logs, _ = model.objective(X, y, None, KEY)
    draws = model.train_draws(X, KEY).numpy()  # [S, B, 2]
    residuals = ((y - draws)**2).sum(-1) / (2 * 0.25) + np.log(2 * np.pi * 0.25)
    expected = -np.log(np.exp(-residuals.astype("float64")).mean(0)).mean()
    np.testing.assert_allclose(logs["nll"], expected, rtol=1e-5)


def test_weights_of_rows_weigh_their_data_term():
    model = _model(0.5)
    weights = np.arange(16.0)
    logs, _ = model.objective(X, Y, weights, KEY)
    rows = model.data_loss(
        model.likelihood.log_prob(Y, model.train_draws(X, KEY)))
    np.testing.assert_allclose(logs["nll"], (rows * weights).numpy().mean(),
                               rtol=1e-5)


def test_flipout_network_draws_its_weights_and_brings_its_kl(caplog):
    flipout = layers.DenseFlipout(3, init_scale=0.5)
    model = _model(0.5, network=keras.Sequential([keras.Input((5,)), flipout]),
                   num_train_samples=3)
    assert "same" not in caplog.text
    draws = model.train_draws(np.eye(5, dtype="float32"), KEY).numpy()
    # Rows of the kernel up to a sign: each draw has its own.
    noises = abs(draws - flipout.kernel.numpy())
    for one, other in ((0, 1), (1, 2), (2, 0)):
        assert (abs(noises[one] - noises[other]) > 1e-4).all()
    history = model.fit(X, Y, batch_size=16, verbose=0).history
    np.testing.assert_allclose(history["kl"], flipout.kl(), rtol=1e-5)
    np.testing.assert_allclose(history["loss"][0] - history["nll"][0],
                               flipout.kl() / 16, rtol=1e-3)


def test_scheduled_alpha_follows_the_steps_of_the_optimiser(tmp_path):
    model = _model(RAMP, num_train_samples=4)
    history = model.fit(X, Y, batch_size=16, epochs=4, verbose=0).history
    np.testing.assert_allclose(history["alpha"], [0.0, 0.5, 1.0, 1.0], atol=1e-6)
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    config = json.loads(json.dumps(model.get_config()))
    for copy in (loaded, AlphaDivergenceDropout.from_config(config)):
        assert isinstance(copy.alpha, keras.optimizers.schedules.PolynomialDecay)
        assert copy.alpha.get_config() == model.alpha.get_config()
    [alpha] = loaded.fit(X, Y, batch_size=16, verbose=0).history["alpha"]
    assert alpha == 1.0  # It goes on where it was.


def test_fixed_alpha_is_logged_and_kept(tmp_path):
    model = _model(0.25, num_train_samples=4, length_scale=2.0)
    assert model.fit(X, Y, verbose=0).history["alpha"] == [0.25]
    twin = AlphaDivergenceDropout.from_config(model.get_config())
    model.save(tmp_path / "model.keras")
    for copy in (twin, keras.saving.load_model(tmp_path / "model.keras")):
        assert copy.alpha == 0.25
        assert (copy.num_train_samples, copy.length_scale) == (4, 2.0)


@pytest.mark.parametrize("alpha, draws, words", [
    (-0.5, 10, "below 0 the worst draws count most"),
    (1.5, 10, "above 1 the best draw counts"),
    (0.5, 1, "one draw in a step"),
    (RAMP, 1, "one draw in a step"),
], ids=["below", "above", "single", "single scheduled"])
def test_unusual_options_are_warned_of(alpha, draws, words, caplog):
    _model(alpha, num_train_samples=draws)
    assert words in caplog.text


@pytest.mark.parametrize("alpha", [0, 0.5, np.float32(1.0), RAMP], ids=str)
def test_usual_options_are_taken_in_silence(alpha, caplog):
    _model(alpha, num_train_samples=1 if alpha == 0 else 2)
    assert not caplog.text


@pytest.mark.parametrize("alpha", [
    float("nan"), float("inf"), None, True, "half", [0.5],
    {"type": "PolynomialDecay"}, {"type": "Gaussian"}], ids=str)
def test_what_is_no_alpha_is_refused(alpha):
    with pytest.raises(ValueError, match="Received"):
        _model(alpha)
