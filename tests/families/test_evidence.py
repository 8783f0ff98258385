"""Evidence of a prior, against the density of the data and a fine grid."""

import numpy as np
from scipy import stats

from bdlzoo.families import evidence

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 4))
Y = X @ RNG.normal(size=4) + 0.5 * RNG.normal(size=30)


def _layer(precision, noise):
    matrix = X.T @ X / noise**2
    mean = np.linalg.solve(matrix + precision * np.eye(4), X.T @ Y / noise**2)
    log_likelihood = stats.norm(X @ mean, noise).logpdf(Y).sum()
    return (evidence.LayerEvidence(np.linalg.eigvalsh(matrix), float(mean @ mean)),
            log_likelihood)


def test_linear_regression_has_the_density_of_its_targets():
    for precision, noise in ((0.5, 0.7), (4.0, 0.3)):
        layer, log_likelihood = _layer(precision, noise)
        exact = stats.multivariate_normal(
            np.zeros(30), noise**2 * np.eye(30) + X @ X.T / precision).logpdf(Y)
        np.testing.assert_allclose(evidence.log_marginal_likelihood(
            [layer], [precision], log_likelihood), exact, rtol=1e-9)


def test_best_precisions_are_those_of_a_grid():
    first, _ = _layer(1.0, 0.5)
    second = evidence.LayerEvidence(np.array([0.0, 3.0, 50.0]), 0.02)
    grid = np.exp(np.linspace(-6, 8, 28001))
    alone = [grid[np.argmax([layer.log_ratio(p) for p in grid])]
             for layer in (first, second)]
    both = grid[np.argmax([first.log_ratio(p) + second.log_ratio(p) for p in grid])]
    np.testing.assert_allclose(
        evidence.best_precisions([first, second], per_layer=True), alone, rtol=1e-3)
    np.testing.assert_allclose(
        evidence.best_precisions([first, second]), [both] * 2, rtol=1e-3)


def test_noise_is_that_of_largest_evidence():
    """At fixed weights, with curvature, errors and evidence in units of a noise."""
    layer, _ = _layer(1.0, 1.0)
    errors = 12.0
    found = evidence.best_noise([layer], False, 30, errors, [2.0])
    grid = np.exp(np.linspace(-3, 2, 20001))
    values = [-30 * np.log(s) - 0.5 * errors / s**2 + layer.log_ratio(2.0, s)
              for s in grid]
    np.testing.assert_allclose(found, grid[np.argmax(values)], rtol=1e-3)
