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
    summed = hasattr(draws, "summary")
    classes = isinstance(draws if summed else likelihood.prediction(draws),
                         ClassPrediction)
    known = (*_REPAIRS, *_SETS) if classes else ("temperature", "interval")
    if method not in known:
        raise ValueError(
            f"Expected one of {known}, the methods for models of "
            f"{'classes' if classes else 'numbers'}. Received: method={method!r}")
    if options and method not in _SETS:
        raise ValueError("Expected options only for prediction sets. "
                         f"Received: {options} with method={method!r}")
    numbers = draws.mean if summed else draws
    if np.isnan(numbers).any():
        raise ValueError(
            "Expected a model with finite predictions: train it again "
            f"with a lower learning rate. Received: {np.isnan(numbers).sum()} NaN")


def calibrate(model, draws, y, method, level, uniforms, options):
    """Fits the calibration of a model.

    Args:
        model: `PredictiveModel`.
        draws: Outputs of the model on held-out rows, `[S, B, ...]`, or the
            prediction (without calibration) of draws that are not held.
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
        fitted = _REPAIRS[method](_double(likelihood, draws), y)
        slot.repair(method, fitted)
        return fitted
    plain = draws if hasattr(draws, "summary") else likelihood.prediction(draws)
    prediction = slot.correct(plain)
    if method == "interval":
        threshold = fit_conformal_interval(prediction, y, level)
        slot.cover(level, threshold)
        return threshold
    rule = fit_conformal_sets(prediction, y, uniforms, method, level, **options)
    slot.cover(level, *rule)
    return rule.threshold


def _double(likelihood, draws):
    """Prediction in float64, from draws or from the prediction of a summary."""
    if not hasattr(draws, "summary"):
        return likelihood.prediction(tf.cast(draws, tf.float64))
    *parts, count = draws.summary
    parts = (tf.cast(part, tf.float64) for part in parts)
    return draws.summarised(type(draws.summary)(*parts, count))
