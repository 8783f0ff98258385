"""Tests of the Gaussian process that a wide network is."""

import keras
import numpy as np
import pytest

from bdlzoo.core import noise
from bdlzoo.evaluation import nngp_regression
from bdlzoo.families.prior_kernel import NetworkKernel, PriorKernel

KEY = noise.key(3, noise.TRAIN)
X = noise.normal([7, 2], KEY).numpy().astype("float64")
Y = np.sin(X[:, 0])


def _kernel():
    return nngp_regression.ReLUKernel((3.0, 2.0, 1.5), (0.5, 0.2, 0.1))


def test_closed_form_equals_wide_random_networks():
    network = keras.Sequential([
        keras.Input((2,)), *(keras.layers.Dense(1024, "relu") for _ in range(2)),
        keras.layers.Dense(1)])
    prior = PriorKernel(network, 10, (3.0, 2.0, 1.5), (0.5, 0.2, 0.1))
    np.testing.assert_allclose(NetworkKernel(prior, KEY).matrix(X, X),
                               _kernel().matrix(X, X), rtol=0.05, atol=0.03)


def test_diagonal_and_matrix_agree():
    kernel = _kernel()
    np.testing.assert_allclose(kernel.apply(X, X), np.diag(kernel.matrix(X, X)))
    np.testing.assert_allclose(kernel.apply(X[:1], X), kernel.matrix(X[:1], X)[0])


def test_one_layer_is_linear_regression():
    """K = W x x' / d + b: the posterior of slopes and an offset."""
    kernel = nngp_regression.ReLUKernel((2.0,), (0.5,))
    wide = np.concatenate([X, np.ones((7, 1))], axis=1)
    prior = np.diag([1.0, 1.0, 0.5])
    precision = np.linalg.inv(prior) + wide.T @ wide / 0.3**2
    mean = wide @ np.linalg.solve(precision, wide.T @ Y) / 0.3**2
    std = np.sqrt(np.einsum("nd,nd->n", wide @ np.linalg.inv(precision), wide))
    found = nngp_regression.posterior(kernel, X, Y, X, noise_scale=0.3)
    np.testing.assert_allclose(found[0], mean, atol=1e-5)
    np.testing.assert_allclose(found[1], std, rtol=1e-4)


def test_little_noise_goes_through_the_data_and_spreads_outside():
    far = 3 * X
    mean, std = nngp_regression.posterior(_kernel(), X, Y, X, noise_scale=1e-3)
    np.testing.assert_allclose(mean, Y, atol=0.01)
    assert std.max() < 2e-3
    assert nngp_regression.posterior(_kernel(), X, Y, far)[1].min() > 0.1


def test_kernel_without_a_factor_is_refused():
    twice = np.concatenate([X, X])
    with pytest.raises(ValueError, match="positive definite"):
        nngp_regression.posterior(_kernel(), twice, np.tile(Y, 2), X,
                                  noise_scale=0.0, jitter=-1e-8)
    with pytest.raises(ValueError, match=r"bias_variance=\(1.0,\)"):
        nngp_regression.ReLUKernel((1.0, 1.0), (1.0,))
