"""Closed forms of class probabilities, against integrals and the Dirichlet."""

import numpy as np
from scipy import integrate, special, stats

from bdlzoo.families import gaussian_logits

RNG = np.random.default_rng(0)


def test_binary_probit_is_near_the_integral():
    mean, variance = np.array([[-2.0], [0.0], [1.0], [3.0]]), 4.0
    exact = [integrate.quad(lambda z, m=m: special.expit(z) * stats.norm.pdf(
        z, m, variance**0.5), -30, 30)[0] for [m] in mean]
    found = np.exp(gaussian_logits.log_binary_probit(
        mean, np.full_like(mean, variance)))
    np.testing.assert_allclose(found[:, 1], exact, atol=0.01)
    np.testing.assert_allclose(found.sum(axis=-1), 1.0)


def test_without_variance_the_probit_is_the_softmax():
    mean = RNG.normal(size=(5, 4))
    np.testing.assert_allclose(np.exp(gaussian_logits.log_probit(mean, 0.0 * mean)),
                               special.softmax(mean, axis=-1))
    wide = np.exp(gaussian_logits.log_probit(mean, 1e6 + 0.0 * mean))
    np.testing.assert_allclose(wide, 0.25, atol=0.01)


def test_bridge_finds_the_dirichlet_that_it_was_made_from():
    """Moments of the Gaussian at the mode of a Dirichlet in the logits, and back."""
    counts = RNG.uniform(0.5, 8.0, (3, 5))
    classes, logs = counts.shape[1], np.log(counts)
    mean = logs - logs.mean(axis=-1, keepdims=True)
    variance = ((1 - 2 / classes) / counts
                + (1 / counts).sum(axis=-1, keepdims=True) / classes**2)
    # A constant on all logits has no effect; its covariance with them is its own.
    shift, shifted = 3.0, 0.7
    found = np.exp(gaussian_logits.log_bridge(
        mean + shift, variance + shifted, np.full_like(mean, classes * shifted)))
    np.testing.assert_allclose(
        found, counts / counts.sum(axis=-1, keepdims=True), rtol=1e-6)


def test_bridge_of_two_classes_and_of_large_logits_is_finite():
    found = np.exp(gaussian_logits.log_bridge(
        np.array([[300.0, -300.0]]), np.ones((1, 2)), np.zeros((1, 2))))
    np.testing.assert_allclose(found, [[1.0, 0.0]], atol=1e-6)
