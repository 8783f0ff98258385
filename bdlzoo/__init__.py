"""Bayesian deep learning model zoo for Keras 3.

`conformal`, `evaluation`, `presets`, `reports`, `runs`, `serving` and `sklearn` are
imported when they are first used.
"""

import typing

__version__ = "0.2.0.dev0"

from bdlzoo import (  # noqa: E402  The version is read before they import.
    attacks,
    core,
    corruptions,
    data,
    estimators,
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
    worlds,
)
from bdlzoo.core.lazy_modules import lazy_modules  # noqa: E402
from bdlzoo.model.preset_files import load_preset as from_preset  # noqa: E402
from bdlzoo.schedules import (  # noqa: E402
    CosineCycles,
    ExponentialFall,
    ExponentialRise,
    PolynomialSteps,
    SigmoidRise,
)
from bdlzoo.surgery.bayesianize import bayesianize  # noqa: E402

if typing.TYPE_CHECKING:  # Completion in an editor knows them all the same.
    from bdlzoo import (
        conformal,
        evaluation,
        presets,
        reports,
        runs,
        serving,
        sklearn,
    )

__all__ = ["CosineCycles", "ExponentialFall", "ExponentialRise", "PolynomialSteps",
           "SigmoidRise", "attacks", "bayesianize", "conformal", "core", "corruptions",
           "data", "estimators", "evaluation", "families", "from_preset", "layers",
           "likelihoods", "methods", "metrics", "model", "networks", "posthoc",
           "presets", "reports", "runs", "schedules", "serving", "sklearn", "surgery",
           "worlds"]

# Nothing in these rooms is registered with Keras.
__getattr__, __dir__ = lazy_modules(
    __name__, ("conformal", "evaluation", "presets", "reports", "runs", "serving",
               "sklearn"))
