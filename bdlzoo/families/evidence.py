"""Marginal likelihood of the Laplace approximation, and the prior that maximises it.

    log p(y | x) ~ log p(y | x, w) - sum over layers of
        (precision |w|**2 - P log precision + sum of log(num_data l + precision)) / 2

`l` are the eigenvalues of the mean curvature of a layer and P is the number of its
weights. The weights stay as they are, so that each layer has a function of one number.
It is exact for linear regression if w is the mean of the posterior.

Reference: MacKay, Bayesian Interpolation, Neural Computation 1992; Immer et al.,
Scalable Marginal Likelihood Estimation for Model Selection in Deep Learning, ICML 2021.
"""

import typing

import numpy as np
from scipy import optimize

_LOGS = np.linspace(np.log(1e-6), np.log(1e12), 145)  # Of the precision.
_NOISES = np.linspace(np.log(1e-4), np.log(1e4), 65)  # Of the noise, relative.


class LayerEvidence(typing.NamedTuple):
    """What the evidence of a layer depends on."""

    values: np.ndarray  # Eigenvalues of the curvature of all data, any shape.
    square: float  # Sum of squares of the weights.

    def log_ratio(self, precision, noise=1.0):
        """Log prior of the weights minus log posterior at them: a float.

        Args:
            precision: Float, precision of the prior.
            noise: Float, factor of the standard deviation of the noise.
        """
        grown = np.log1p(self.values / (noise**2 * precision))
        return -0.5 * (precision * self.square + grown.sum())


def log_marginal_likelihood(layers, precisions, log_likelihood):
    """Evidence in nats.

    Args:
        layers: List of `LayerEvidence`.
        precisions: List of floats, one for each layer.
        log_likelihood: Float, of all data at the trained weights.
    """
    return log_likelihood + sum(layer.log_ratio(precision) for layer, precision
                                in zip(layers, precisions, strict=True))


def best_precisions(layers, per_layer=False, noise=1.0):
    """Precisions of largest evidence, one for each layer.

    Args:
        layers: List of `LayerEvidence`.
        per_layer: Bool, whether layers have their own; otherwise all have one.
        noise: Float, factor of the standard deviation of the noise.
    """
    if per_layer:
        return [best_precisions([layer], noise=noise)[0] for layer in layers]
    found = _highest(lambda log: sum(
        layer.log_ratio(np.exp(log), noise) for layer in layers), _LOGS)
    return [float(np.exp(found))] * len(layers)


def best_noise(layers, per_layer, num_numbers, squared_errors, precisions=None):
    """Factor of the standard deviation of the noise with the largest evidence.

    Args:
        layers: List of `LayerEvidence`.
        per_layer: Bool, as in `best_precisions`, which are found along.
        num_numbers: Float, number of all targets.
        squared_errors: Float, sum of squared errors in units of the noise variance.
        precisions: List of floats, if they are given; `None` finds them too.
    """
    def evidence(log):
        noise = np.exp(log)
        chosen = precisions or best_precisions(layers, per_layer, noise)
        return -num_numbers * log - 0.5 * squared_errors / noise**2 + sum(
            layer.log_ratio(precision, noise)
            for layer, precision in zip(layers, chosen))

    return float(np.exp(_highest(evidence, _NOISES)))


def _highest(function, grid):
    """Place of the highest value of a smooth function of one number."""
    best = int(np.argmax([function(place) for place in grid]))
    low, high = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
    return optimize.minimize_scalar(
        lambda place: -function(place), bounds=(low, high), method="bounded",
        options={"xatol": 1e-7}).x
