"""Gradients through draws of discrete codes."""

from bdlzoo.estimators.direct_optimization import DirectOptimization
from bdlzoo.estimators.estimator import Estimator
from bdlzoo.estimators.exact import Exact
from bdlzoo.estimators.gumbel_softmax import GumbelSoftmax
from bdlzoo.estimators.score_function import ScoreFunction

__all__ = ["DirectOptimization", "Estimator", "Exact", "GumbelSoftmax",
           "ScoreFunction"]
