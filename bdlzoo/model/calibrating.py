"""The fit of a calibration to the draws of a model on held-out rows."""

import numpy as np
import tensorflow as tf

from bdlzoo.core.class_prediction import ClassPrediction
from bdlzoo.posthoc import (
    fit_conformal_interval,
    fit_conformal_sets,
    fit_isotonic,
    fit_temperature,
    fit_vector_scaling,
)

_REPAIRS = {"temperature": fit_temperature, "vector": fit_vector_scaling,
            "isotonic": fit_isotonic}
_SETS = ("lac", "aps", "raps")


def check_method(likelihood, method, draws, options):
    """Raises where a method of calibration does not fit the predictions."""
    classes = isinstance(likelihood.prediction(draws), ClassPrediction)
    known = (*_REPAIRS, *_SETS) if classes else ("temperature", "interval")
    if method not in known:
        raise ValueError(
            f"Expected one of {known}, which are for models of "
            f"{'classes' if classes else 'numbers'}. Received: method={method!r}")
    if options and method not in _SETS:
        raise ValueError("Expected options with prediction sets only. "
                         f"Received: {options} with method={method!r}")
    if np.isnan(draws).any():
        raise ValueError(
            "Expected a model whose predictions are numbers: train it again "
            f"with a lower learning rate. Received: {np.isnan(draws).sum()} NaN")


def calibrate(model, draws, y, method, level, uniforms, options):
    """Fits the calibration of a model; the arguments are those of its `calibrate`.

    Args:
        model: `PredictiveModel`.
        draws: Its outputs on held-out rows, `[S, B, ...]`.
        y: Targets of the rows.
        method: String.
        level: Float, coverage.
        uniforms: A number for each row, `[B]`, which randomises sets.
        options: Dictionary, of `fit_conformal_sets`.

    Returns:
        What was fitted.
    """
    slot, likelihood = model.calibration, model.likelihood
    if method in _REPAIRS:
        # In float64: the slope of the likelihood is small where it ends.
        fitted = _REPAIRS[method](likelihood.prediction(tf.cast(draws, tf.float64)), y)
        slot.repair(method, fitted)
        return fitted
    prediction = slot.correct(likelihood.prediction(draws))
    if method == "interval":
        threshold = fit_conformal_interval(prediction, y, level)
        slot.cover(level, threshold)
        return threshold
    rule = fit_conformal_sets(prediction, y, uniforms, method, level, **options)
    slot.cover(level, *rule)
    return rule.threshold
