"""The complexity of a learner: gradients, the integral, and what depth does."""

import numpy as np
import pytest
import tensorflow as tf
from scipy import integrate

from bdlzoo import data
from bdlzoo.core import noise
from tools.reproduce import learner_complexity as complexity


def _rows(count=16):
    x, y = data.load("digits", validation=0)
    return x[:count], y[:count]


def test_gradient_of_a_linear_model_is_kernel_times_error():
    """grad_x log p(y | x) = W (e_y - p)."""
    x, y = _rows()
    network = complexity.prior_network(x.shape[1:], 1, 4, 10, 0.3)
    key = noise.key(3, noise.PREDICT)
    log_probs, gradients = complexity.input_gradients(network, x, y, key)
    kernel = network.layers[-1].draw_kernels(noise.Draw(key, True))
    flat = x.reshape(len(x), -1)
    chances = tf.nn.softmax(flat @ kernel).numpy()
    error = np.eye(10)[y] - chances
    np.testing.assert_allclose(
        gradients.numpy().reshape(flat.shape), error @ kernel.numpy().T, atol=1e-5)
    np.testing.assert_allclose(
        log_probs, np.log(chances[np.arange(len(y)), y]), rtol=1e-5)


def test_draws_are_networks_of_their_own_that_all_rows_share():
    x, y = _rows()
    network = complexity.prior_network(x.shape[1:], 2, 8, 10, 0.3)
    log_probs, squares = complexity.prior_draws(network, x, y, 5, seed=1)
    assert log_probs.shape == squares.shape == (5, 16)
    assert np.ptp(log_probs, axis=0).min() > 0
    half, half_squares = complexity.prior_draws(network, x[:8], y[:8], 5, seed=1)
    np.testing.assert_allclose(half, log_probs[:, :8], rtol=1e-5)
    np.testing.assert_allclose(half_squares, squares[:, :8], rtol=1e-4)
    keys = noise.split(noise.key(1, noise.PREDICT), 5)
    _, gradients = complexity.input_gradients(network, x, y, keys[4])
    np.testing.assert_allclose(
        squares[4], np.sum(gradients.numpy() ** 2, axis=(1, 2, 3)), rtol=1e-4)


def test_tilt_is_the_integral_and_one_on_average_over_networks():
    log_probs = -np.random.default_rng(0).gamma(2.0, size=(6, 3))
    tilts = complexity.tilt(log_probs)
    np.testing.assert_allclose(tilts.mean(axis=0), 1.0)

    def ratio(a):
        return np.exp(a * log_probs[2, 1]) / np.mean(np.exp(a * log_probs[:, 1]))

    assert tilts[2, 1] == pytest.approx(integrate.quad(ratio, 0, 1)[0], rel=1e-8)


def test_complexity_is_one_where_all_weights_are_zero():
    found = complexity.run(name="digits", depth=2, prior_scale=1e-30, num_nets=3)
    assert found["complexity"] == 1.0 and found["gradient"] == 0.0


def test_complexity_averages_the_exponential_of_the_flow(monkeypatch):
    flows = np.array([[1.0, 3.0], [0.0, 8.0]])  # Means 2 and 4, and no tilt.
    monkeypatch.setattr(complexity, "prior_draws",
                        lambda *args: (np.full((2, 2), -1.0), flows))
    found = complexity.run(name="digits")
    assert found["complexity"] == pytest.approx((np.exp(2) + np.exp(4)) / 2)
    assert found["flow"] == pytest.approx(3.0) == found["gradient"]


def test_complexity_falls_to_one_with_depth():
    values = [complexity.run(name="digits", depth=depth, width=16, prior_scale=0.15,
                             num_nets=20)["complexity"] for depth in (1, 2, 3, 5)]
    assert values[0] > 3 and values[0] > values[1] > values[2] > values[3] > 1
    assert values[3] < 1.01
