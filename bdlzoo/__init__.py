"""Bayesian deep learning model zoo for Keras 3."""

__version__ = "0.1.0"

from bdlzoo import (  # noqa: E402  The version is read before they import.
    attacks,
    core,
    corruptions,
    data,
    families,
    layers,
    likelihoods,
    methods,
    metrics,
    model,
    networks,
    posthoc,
    schedules,
    surgery,
)
from bdlzoo.schedules import (  # noqa: E402
    CosineCycles,
    ExponentialFall,
    PolynomialSteps,
)
from bdlzoo.surgery.bayesianize import bayesianize  # noqa: E402

__all__ = ["CosineCycles", "ExponentialFall", "PolynomialSteps", "attacks",
           "bayesianize", "core", "corruptions", "data", "families", "layers",
           "likelihoods", "methods", "metrics", "model", "networks", "posthoc",
           "schedules", "surgery"]
