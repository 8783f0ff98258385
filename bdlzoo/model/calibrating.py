"""Fits the calibration of a model to its draws on held-out rows."""

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
    """Raises an error if a calibration method does not fit the predictions."""
    prediction = likelihood.prediction(draws)
    classes = isinstance(prediction, ClassPrediction)
    known = (*_REPAIRS, *_SETS) if classes else ("temperature", "interval")
    if method not in known:
        raise ValueError(
            f"Expected one of {known}, the methods for models of "
            f"{'classes' if classes else 'numbers'}. Received: method={method!r}")
    if method == "temperature" and not classes and prediction.rigid:
        raise ValueError(
            "Expected method=\"interval\" for this likelihood, whose predictions a "
            f"temperature cannot stretch: {prediction.rigid}. Received: "
            f"method={method!r}")
    if options and method not in _SETS:
        raise ValueError("Expected options only for prediction sets. "
                         f"Received: {options} with method={method!r}")
    if np.isnan(draws).any():
        raise ValueError(
            "Expected a model with finite predictions: train it again "
            f"with a lower learning rate. Received: {np.isnan(draws).sum()} NaN")


def calibrate(model, draws, y, method, level, uniforms, options):
    """Fits the calibration of a model.

    Args:
        model: `PredictiveModel`.
        draws: Outputs of the model on held-out rows, `[S, B, ...]`.
        y: Targets of the rows.
        method: String, a method of `PredictiveModel.calibrate`.
        level: Float, coverage of sets and intervals.
        uniforms: A uniform number for each row, `[B]`, which randomises sets.
        options: Dictionary of arguments of `fit_conformal_sets`.

    Returns:
        The fitted values, as `PredictiveModel.calibrate` returns them.
    """
    slot, likelihood = model.calibration, model.likelihood
    if method in _REPAIRS:
        # In float64, because the likelihood is flat near its maximum.
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
