"""The engine: models that train with noise, and their files."""

from bdlzoo.model.predictive_model import PredictiveModel
from bdlzoo.model.stochastic_model import StochasticModel

__all__ = ["PredictiveModel", "StochasticModel"]
