"""Metrics of a model that predicts labels."""

import keras
import tensorflow as tf

from bdlzoo import metrics as _metrics  # noqa: F401  Known by name.
from bdlzoo.core import registry
from bdlzoo.core.class_prediction import ClassPrediction
from bdlzoo.core.positions import Positions

_KERAS_ALIASES = ("mae", "mse", "mape", "msle")


class ModelMetrics:
    """Holds metrics for training and for evaluation, which Keras does not track.

    Keras allows no new state in a built model, but a built model can be compiled again
    with other metrics.
    """

    def __init__(self):
        self.train, self.test = [], []

    def set(self, specs, likelihood):
        """Sets the metrics of `compile`.

        Args:
            specs: List of names, specs or metrics. `None` takes those of the
                likelihood: all in evaluation, and only the first in training.
            likelihood: `Likelihood` of the model.
        """
        if isinstance(specs, (str, dict)):
            raise ValueError("Expected a list of metrics. Received: "
                             f"metrics={specs}")
        chosen = likelihood.default_metrics if specs is None else specs
        self.test = [_metric(spec, likelihood) for spec in chosen]
        self.train = self.test[:1] if specs is None else self.test

    def config(self):
        """Specs for a saved file; `None` for the metrics of the likelihood."""
        if self.train is not self.test:
            return None
        return [keras.saving.serialize_keras_object(metric) for metric in self.test]


def update(metrics, y, prediction, sample_weight):
    """Updates metrics with a prediction.

    Positions become rows, and those that do not count have the weight 0.

    Args:
        metrics: List of metrics. Some read the mean of a prediction, others its draws.
        y: Targets.
        prediction: `Prediction`.
        sample_weight: `Positions` of the batch, weights, or `None`.

    Returns:
        Dictionary of the results by name.
    """
    counted = sample_weight if isinstance(sample_weight, Positions) else (
        Positions(prediction.log_prob(y), sample_weight))
    y, weights = counted.rows(y), counted.row_weights
    prediction = prediction.rows() if counted.rank > 1 else prediction
    for metric in metrics:
        seen = prediction if getattr(
            metric, "reads_prediction", False) else prediction.mean
        metric.update_state(_targets_for(metric, y, prediction), seen,
                            sample_weight=weights)
    return {metric.name: metric.result() for metric in metrics}


def _targets_for(metric, y, prediction):
    """Targets as a metric reads them: indices in place of class probabilities."""
    one_hot = isinstance(prediction, ClassPrediction) and y.shape.rank == 2 and (
        y.shape[-1] == prediction.log_mean.shape[-1])
    reads_indices = type(metric).__name__.startswith("Sparse") or getattr(
        metric, "sparse_y_true", False)
    return tf.argmax(y, axis=-1) if one_hot and reads_indices else y


def _metric(spec, likelihood):
    """A metric from its name or spec; a metric is returned unchanged."""
    if spec in ("accuracy", "acc"):  # The kind depends on the targets.
        spec = likelihood.default_metrics[0]
    try:
        return registry.build(spec, keras.metrics)
    except ValueError:
        if spec not in _KERAS_ALIASES:
            raise
        return keras.metrics.get(spec)
