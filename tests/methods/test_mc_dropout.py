"""MC dropout: moments of a linear unit, and the objective by hand."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.layers import ConcreteDropout
from bdlzoo.likelihoods import Gaussian
from bdlzoo.methods import MCDropout
from bdlzoo.networks import MLP

X = np.random.default_rng(0).normal(size=(16, 5)).astype("float32")
CONCRETE = {"type": "ConcreteDropout", "rate": 0.2}


def _linear(rate=0.3, **kwargs):
    network = MLP((5,), (), 1, dropout=rate, dropout_at="all")
    model = MCDropout(network, Gaussian(), seed=0, **kwargs)
    model.compile(keras.optimizers.SGD(0.0))
    model.build((None, 5))
    return model


def test_linear_unit_has_the_moments_of_its_masks():
    """Mean: the plain layer. Variance: p / (1 - p) * sum of (x w)**2."""
    model = _linear()
    draws = model.sample_outputs(X, 20_000, seed=1).numpy()[..., 0]
    kernel = model.network.trainable_variables[0].numpy()
    variance = 0.3 / 0.7 * ((X * kernel[:, 0])**2).sum(-1)
    error = 5 * np.sqrt(variance / 20_000)
    assert (abs(draws.mean(0) - (X @ kernel)[:, 0]) < error).all()
    np.testing.assert_allclose(draws.var(0), variance, rtol=0.05)


def test_draws_are_functions_of_the_whole_batch():
    """Two rows of one draw share their mask: equal rows, equal outputs."""
    model = _linear()
    twins = np.repeat(X[:1], 2, axis=0)
    draws = model.sample_outputs(twins, 50, seed=1).numpy()
    np.testing.assert_array_equal(draws[:, 0], draws[:, 1])
    assert draws[:, 0].std() > 0


def test_without_dropout_it_is_the_network(caplog):
    model = _linear(rate=0.0)
    np.testing.assert_allclose(model.predict(X, verbose=0), model.network(X),
                               atol=1e-6)
    assert "no active dropout" in caplog.text


def test_prior_counts_kernels_by_what_dropout_keeps():
    model = _linear(prior_scale=0.5, num_data=10)
    kernel, bias = (w.numpy() for w in model.network.trainable_variables)
    expected = (0.7 * (kernel**2).sum() + (bias**2).sum()) / (2 * 0.25)
    np.testing.assert_allclose(model.kl(), expected, rtol=1e-6)
    logs = model.fit(X, X[:, :1], batch_size=16, verbose=0).history
    np.testing.assert_allclose(logs["loss"][0] - logs["nll"][0], expected / 10,
                               rtol=1e-4)


def test_many_training_draws_average_the_nll():
    """With 2,000 draws a step the loss is its expectation, known for a line."""
    model = _linear(num_train_samples=2000)
    y = np.ones((16, 1), "float32")
    loss = model.fit(X, y, batch_size=16, verbose=0).history["nll"][0]
    kernel = model.network.trainable_variables[0].numpy()
    variance = 0.3 / 0.7 * ((X * kernel[:, 0])**2).sum(-1)
    squares = (1.0 - (X @ kernel)[:, 0])**2 + variance
    expected = 0.5 * np.log(2 * np.pi) + 0.5 * squares.mean()
    np.testing.assert_allclose(loss, expected, rtol=0.02)


def test_masks_change_from_step_to_step():
    """With a learning rate of zero only the noise can move the loss."""
    model = _linear()
    y = np.ones((16, 1), "float32")
    losses = model.fit(X, y, batch_size=16, epochs=2, shuffle=False,
                       verbose=0).history["nll"]
    assert losses[0] != losses[1]


def test_gaussian_dropout_of_a_linear_unit_has_the_same_moments():
    model = _linear({"type": "GaussianDropout", "rate": 0.3})
    draws = model.sample_outputs(X, 20_000, seed=1).numpy()[..., 0]
    kernel = model.network.trainable_variables[0].numpy()
    variance = 0.3 / 0.7 * ((X * kernel[:, 0])**2).sum(-1)
    error = 5 * np.sqrt(variance / 20_000)
    assert (abs(draws.mean(0) - (X @ kernel)[:, 0]) < error).all()
    np.testing.assert_allclose(draws.var(0), variance, rtol=0.06)


def test_learnt_rate_brings_its_share_and_its_entropy():
    model = _linear(CONCRETE, prior_scale=0.5, num_data=10)
    logit, kernel, bias = (w.numpy() for w in model.network.trainable_variables)
    entropy = -(0.2 * np.log(0.2) + 0.8 * np.log(0.8))
    expected = ((kernel**2).sum() / 0.8 + (bias**2).sum()) / (2 * 0.25) - 5 * entropy
    np.testing.assert_allclose(model.kl(), expected, rtol=1e-5)
    logs = model.fit(X, X[:, :1], batch_size=16, verbose=0).history
    np.testing.assert_allclose(logs["loss"][0] - logs["nll"][0], expected / 10,
                               rtol=1e-3)


def test_rate_settles_where_entropy_and_prior_balance():
    """Without data: n_in logit(p) p (1 - p) = -||w||**2 / (2 s**2) p / (1 - p)."""
    model = _linear(CONCRETE, prior_scale=1.0)
    logit, kernel, _ = model.network.trainable_variables
    kernel.assign(np.ones((5, 1)))
    for _ in range(300):
        with tf.GradientTape() as tape:
            kl = model.kl()
        logit.assign_sub(0.5 * tape.gradient(kl, logit))
    [rate] = model.rates().values()
    # ||w||**2 = 5 = n_in: logit(p) = -1 / (2 (1 - p)**2).
    assert np.log(rate / (1 - rate)) == pytest.approx(-0.5 / (1 - rate)**2, rel=1e-4)
    assert 0.25 < rate < 0.35


def test_learnt_rate_follows_its_current_weight_in_a_compiled_step():
    """The share is not frozen at build: the logged KL is that of new rates."""
    model = _linear(CONCRETE, prior_scale=0.5)
    model.fit(X, X[:, :1], batch_size=16, verbose=0)
    model.network.trainable_variables[0].assign(1.0)
    logs = model.fit(X, X[:, :1], batch_size=16, verbose=0).history
    np.testing.assert_allclose(logs["kl"][0], model.kl(), rtol=1e-5)


def test_learnt_rates_need_a_prior():
    with pytest.raises(ValueError, match="1/2.*Received: prior_scale=None"):
        _linear(CONCRETE)


def test_rates_are_those_that_are_on():
    network = keras.Sequential([
        keras.Input((5,)), keras.layers.Dropout(0.0, name="off"),
        keras.layers.Dense(4), keras.layers.GaussianDropout(0.3, name="fixed"),
        keras.layers.Dense(4), ConcreteDropout(0.2, name="learnt"),
        keras.layers.Dense(1)])
    model = MCDropout(network, Gaussian(), prior_scale=1.0)
    model.build((None, 5))
    assert model.rates() == pytest.approx({"fixed": 0.3, "learnt": 0.2})
    assert model.rates(learnt_only=True) == pytest.approx({"learnt": 0.2})


def test_learnt_rates_survive_the_file(tmp_path):
    model = _linear(CONCRETE, prior_scale=0.5)
    model.network.trainable_variables[0].assign(1.0)
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    assert loaded.rates() == model.rates()
    np.testing.assert_allclose(loaded.kl(), model.kl(), rtol=1e-6)
    np.testing.assert_allclose(loaded.sample_outputs(X, 4, seed=1),
                               model.sample_outputs(X, 4, seed=1), atol=1e-6)


def test_learnt_rates_are_served_and_the_same_under_xla(tmp_path):
    model = _linear(CONCRETE, prior_scale=0.5)
    plain = model.sample_outputs(X, 4, seed=5)
    path = model.export(tmp_path)
    served = tf.saved_model.load(str(path)).signatures["samples"](
        inputs=tf.constant(X), seed=tf.constant([[5, 0]]),
        num_samples=tf.constant([4]))["samples"]
    np.testing.assert_allclose(served, plain, atol=1e-5)
    jitted = tf.function(model.draw, jit_compile=True)(
        tf.constant(X), 4, noise.key(5, noise.PREDICT))
    np.testing.assert_allclose(jitted, plain, atol=1e-5)
