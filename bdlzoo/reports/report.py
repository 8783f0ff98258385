"""Callback that shows, epoch by epoch, how sure a model is of held-out rows."""

import keras
import numpy as np
from absl import logging

import bdlzoo.reports
from bdlzoo.core.class_prediction import ClassPrediction
from bdlzoo.reports.calibration_plot import calibration_plot
from bdlzoo.reports.mlflow_tracker import MLflowTracker
from bdlzoo.reports.reliability_diagram import reliability_diagram
from bdlzoo.reports.tensorboard_tracker import TensorBoardTracker
from bdlzoo.reports.uncertainty_histogram import uncertainty_histogram
from bdlzoo.reports.wandb_tracker import WandbTracker

_TRACKERS = {"mlflow": MLflowTracker, "wandb": WandbTracker}
_SET = "validation"
_SOME = 1e-6  # Nats. Below, draws are equal but for rounding.


class Report(keras.callbacks.Callback):
    """Writes the scalars of all epochs, and figures of uncertainty, to trackers.

    For classes the figures are a reliability diagram and histograms of the uncertainty,
    for numbers the coverage of intervals and histograms of the standard deviation, for
    a model without labels its own pictures. All epochs have the same noise, so that
    only the training makes them differ.

    Args:
        x: Array of held-out inputs.
        y: Array of their targets; `None` for a model without labels.
        to: Where to write: a folder for TensorBoard, `"mlflow"`, `"wandb"`, a tracker
            of `bdlzoo.reports`, or a list of them.
        outside: Dictionary of arrays of other inputs by name, such as corrupted ones:
            their uncertainty is drawn beside that of `x`.
        every: Integer, epochs from figure to figure; the last epoch has one too.
        num_samples: Integer, draws; `None` takes the number of the model.
        seed: Integer, seed of the draws.

    Example:

        report = bdlzoo.reports.Report(x_val, y_val, to=["logs/a", "mlflow"])
        model.fit(x, y, validation_data=(x_val, y_val), callbacks=[report])
    """

    def __init__(self, x, y=None, to="logs", outside=None, every=1, num_samples=None,
                 seed=0):
        super().__init__()
        if every < 1:
            raise ValueError("Expected a whole number of at least 1. Received: "
                             f"every={every}")
        self.x = x
        self.y = y if y is None else np.asarray(y)
        self.outside = dict(outside or {})
        self.every = every
        self.num_samples = num_samples
        self.seed = seed
        places = to if isinstance(to, (list, tuple)) else [to]
        self.trackers = [_tracker(place) for place in places]

    def on_train_begin(self, logs=None):
        facts = _facts(self.model)
        for tracker in self.trackers:
            tracker.begin(facts)
        self._last = self._drawn = None

    def on_epoch_end(self, epoch, logs=None):
        numbers = {name: float(np.mean(value)) for name, value in (logs or {}).items()}
        for tracker in self.trackers:
            tracker.scalars(numbers, epoch)
        self._last = epoch
        if (epoch + 1) % self.every == 0:
            self._draw(epoch)

    def on_train_end(self, logs=None):
        if self._last is not None and self._last != self._drawn:
            self._draw(self._last)
        for tracker in self.trackers:
            tracker.end()

    def figures(self):
        """Figures of the model as it is: a dictionary by name."""
        if self.y is None:
            return {name: getattr(bdlzoo.reports, function)(**arguments)
                    for name, (function, arguments)
                    in self.model.pictures(self.x).items()}
        prediction = self._prediction(self.x)
        if not isinstance(prediction, ClassPrediction):
            return {"coverage": calibration_plot(prediction, self.y),
                    "uncertainty": self._histogram(prediction, "std")}
        labels = self.y
        if labels.shape == prediction.probabilities.shape:  # One-hot rows.
            labels = np.argmax(labels, axis=-1)
        disagree = np.max(prediction.mutual_information) > _SOME
        return {"reliability": reliability_diagram(
                    prediction.rows().probabilities, labels),
                "uncertainty": self._histogram(
                    prediction,
                    "mutual_information" if disagree else "predictive_entropy")}

    def _prediction(self, x):
        return self.model.predict_uncertainty(
            x, num_samples=self.num_samples, seed=self.seed)

    def _histogram(self, prediction, name):
        scores = {_SET: getattr(prediction, name), **{
            word: getattr(self._prediction(x), name)
            for word, x in self.outside.items()}}
        return uncertainty_histogram(scores, name.replace("_", " ").capitalize())

    def _draw(self, epoch):
        try:
            self.model.check_ready()
        except ValueError as error:  # A sampler has not kept a sample yet.
            logging.info("No figures of epoch %d: %s", epoch, error)
            return
        for name, figure in self.figures().items():
            for tracker in self.trackers:
                tracker.figure(name, figure, epoch)
        self._drawn = epoch


def _tracker(place):
    if isinstance(place, str) and place in _TRACKERS:
        return _TRACKERS[place]()
    if all(hasattr(place, word) for word in ("begin", "scalars", "figure", "end")):
        return place
    return TensorBoardTracker(place)


def _facts(model):
    """Settings of a model that a tracker can list."""
    optimizer = getattr(model, "optimizer", None)
    plain = {name: value for name, value in model.get_config().items()
             if isinstance(value, (bool, int, float, str))}
    facts = {"method": type(model).__name__, **plain}
    if optimizer is not None:
        facts.update(optimizer=type(optimizer).__name__,
                     learning_rate=float(optimizer.learning_rate))
    return facts
