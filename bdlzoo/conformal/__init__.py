"""Conformal prediction for any trained Keras model: sets and intervals that hold.

    sets = bdlzoo.conformal.PredictionSets(model)
    sets.fit(x_val, y_val)
    sets.predict(x_test)

A model of the zoo that is served takes its sets and intervals along: there, call
`model.calibrate(method="aps")`.
"""

from bdlzoo.conformal.adaptive_intervals import AdaptiveIntervals
from bdlzoo.conformal.bootstrap_intervals import BootstrapIntervals
from bdlzoo.conformal.prediction_intervals import PredictionIntervals
from bdlzoo.conformal.prediction_sets import PredictionSets

__all__ = ["AdaptiveIntervals", "BootstrapIntervals", "PredictionIntervals",
           "PredictionSets"]
