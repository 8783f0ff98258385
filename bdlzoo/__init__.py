"""Bayesian deep learning model zoo for Keras 3."""

__version__ = "0.1.0"

from bdlzoo import (  # noqa: E402  The version is read before they import.
    attacks,
    core,
    corruptions,
    data,
    layers,
    likelihoods,
    methods,
    metrics,
    model,
    networks,
    posthoc,
)
from bdlzoo.core.exponential_fall import ExponentialFall  # noqa: E402
from bdlzoo.core.step_sizes import CosineCycles, PolynomialSteps  # noqa: E402
from bdlzoo.model.bayesianize import bayesianize  # noqa: E402

__all__ = ["CosineCycles", "ExponentialFall", "PolynomialSteps", "attacks",
           "bayesianize", "core", "corruptions", "data", "layers", "likelihoods",
           "methods", "metrics", "model", "networks", "posthoc"]
