"""The models that methods build on, and what they do to a network."""

from bdlzoo.model.path_model import PathModel
from bdlzoo.model.predictive_model import PredictiveModel
from bdlzoo.model.stochastic_model import StochasticModel

__all__ = ["PathModel", "PredictiveModel", "StochasticModel"]
