"""MC dropout: moments of a linear unit, and the objective by hand."""

import keras
import numpy as np

from bdlzoo.likelihoods import Gaussian
from bdlzoo.methods import MCDropout
from bdlzoo.networks import MLP

X = np.random.default_rng(0).normal(size=(16, 5)).astype("float32")


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
    assert "no dropout" in caplog.text


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
