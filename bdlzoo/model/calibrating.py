"""Fits the calibration of a model to its draws on held-out rows."""

import numpy as np
import tensorflow as tf

from bdlzoo.core import conformal
from bdlzoo.core.class_prediction import ClassPrediction
from bdlzoo.core.positions import Positions, cleaned
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
    prediction = draws if summed else likelihood.prediction(draws)
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
    numbers = draws.mean if summed else draws
    if np.isnan(numbers).any():
        raise ValueError(
            "Expected a model with finite predictions: train it again "
            f"with a lower learning rate. Received: {np.isnan(numbers).sum()} NaN")


def calibrate(model, draws, y, method, level, uniforms, options, mask=None,
              refine=lambda prediction: prediction):
    """Fits the calibration of a model.

    Positions that count become rows. Sets and intervals then cover the share `level`
    of positions; those of one row are not independent, so that the coverage of few
    rows varies more than the number of positions suggests.

    Args:
        model: `PredictiveModel`.
        draws: Outputs of the model on held-out rows, `[S, B, ...]`, or the
            prediction (without calibration) of draws that are not held.
        y: Targets of the rows.
        method: String, a method of `PredictiveModel.calibrate`.
        level: Float, coverage of sets and intervals.
        uniforms: A uniform number for each row, `[B]`, which randomises sets.
        options: Dictionary of arguments of `fit_conformal_sets`.
        mask: Mask of the outputs `[B, ...]`, or `None`.
        refine: Function of the prediction from draws that adds what is known without.

    Returns:
        The fitted values, as `PredictiveModel.calibrate` returns them.
    """
    slot, likelihood = model.calibration, model.likelihood
    if method in _REPAIRS:
        # In float64, because the likelihood is flat near its maximum.
        plain = refine(_double(likelihood, draws))
        prediction, y, _ = _counted(likelihood, plain, y, uniforms, mask)
        fitted = _REPAIRS[method](prediction, y)
        slot.repair(method, fitted)
        return fitted
    plain = draws if hasattr(draws, "summary") else likelihood.prediction(draws)
    prediction, y, uniforms = _counted(
        likelihood, slot.correct(refine(plain)), y, uniforms, mask)
    if method == "interval":
        threshold = fit_conformal_interval(prediction, y, level)
        slot.cover(level, threshold)
        return threshold
    rule = fit_conformal_sets(prediction, y, uniforms, method, level, **options)
    slot.cover(level, *rule)
    return rule.threshold


def _counted(likelihood, prediction, y, uniforms, mask):
    """Prediction, targets and uniform numbers of the positions that count, as rows."""
    outputs = tf.convert_to_tensor(prediction.mean)[None]  # Only its shape is read.
    counts = likelihood.counts(y, outputs)
    values = prediction.log_prob(cleaned(tf.convert_to_tensor(y), counts))
    found = Positions(values, None, [counts, mask])
    y, prediction = found.rows(y), prediction.rows() if found.rank > 1 else prediction
    uniforms = tf.reshape(conformal.of_positions(uniforms, tf.shape(values)), [-1])
    if isinstance(prediction, ClassPrediction) and y.shape.rank == 2 and (
            y.shape[-1] == prediction.log_mean.shape[-1]):  # One-hot rows.
        y = tf.argmax(y, axis=-1)
    if found.counts is None:
        return prediction, y, uniforms
    kept = np.flatnonzero(found.counts)
    if not len(kept):
        raise ValueError("Expected at least one position that counts. Received: "
                         "targets of which all are ignored or masked")
    return (prediction.taken(kept), *(tf.gather(part, kept) for part in (y, uniforms)))


def _double(likelihood, draws):
    """Prediction in float64, from draws or from the prediction of a summary."""
    if not hasattr(draws, "summary"):
        return likelihood.prediction(tf.cast(draws, tf.float64))
    *parts, count = draws.summary
    parts = (tf.cast(part, tf.float64) for part in parts)
    return draws.summarised(type(draws.summary)(*parts, count))
