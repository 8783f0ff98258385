"""Metrics of a model of labels: those of `compile`, fed with predictions."""

import keras

from bdlzoo import metrics as _metrics  # noqa: F401  Known by name.
from bdlzoo.core import registry

_KERAS_ALIASES = ("mae", "mse", "mape", "msle")


class ModelMetrics:
    """Metrics in training and in evaluation, out of sight of Keras.

    A built model takes no new state, and may still be compiled again.
    """

    def __init__(self):
        self.train, self.test = [], []

    def set(self, specs, likelihood):
        """Takes the metrics of `compile`.

        Args:
            specs: List of names, specs or metrics; `None` takes those of the
                likelihood, in training the first one only.
            likelihood: `Likelihood`.
        """
        if isinstance(specs, (str, dict)):
            raise ValueError("Expected a list of metrics. Received: "
                             f"metrics={specs}")
        chosen = likelihood.default_metrics if specs is None else specs
        self.test = [_metric(spec, likelihood) for spec in chosen]
        self.train = self.test[:1] if specs is None else self.test

    def config(self):
        """Specs for a saved file; `None` where they are those of the likelihood."""
        if self.train is not self.test:
            return None
        return [keras.saving.serialize_keras_object(metric) for metric in self.test]


def update(metrics, y, prediction, sample_weight):
    """Feeds metrics: the mean, or all draws to those that read them.

    Returns:
        Their results by name.
    """
    for metric in metrics:
        seen = prediction if getattr(
            metric, "reads_prediction", False) else prediction.mean
        metric.update_state(y, seen, sample_weight=sample_weight)
    return {metric.name: metric.result() for metric in metrics}


def _metric(spec, likelihood):
    """A metric from its name, spec or itself."""
    if spec in ("accuracy", "acc"):  # Which one depends on the targets.
        spec = likelihood.default_metrics[0]
    try:
        return registry.build(spec, keras.metrics)
    except ValueError:
        if spec not in _KERAS_ALIASES:
            raise
        return keras.metrics.get(spec)
