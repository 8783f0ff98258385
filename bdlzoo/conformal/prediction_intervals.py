"""Intervals of numbers for any regression, with guaranteed coverage.

    score    = max(low - y, y - high) / width
    interval = [low - threshold width, high + threshold width]

    absolute    low = high = mean,                           width = 1
    scaled      low = high = mean,                           width = std
    quantile    low and high are quantiles of the model,     width = 1

The threshold is the `ceil((n + 1) level)`-th smallest of n scores of held-out rows. The
interval holds the value with probability `level`, whatever the model and the noise, and
with a little more than `1 / (n + 1)` above it at most. Quantiles may shrink: a negative
threshold says that they were too far apart.

Reference: Lei et al., Distribution-Free Predictive Inference for Regression, JASA 2018;
Romano, Patterson and Candes, Conformalized Quantile Regression, NeurIPS 2019.
"""

import keras
import numpy as np

from bdlzoo.conformal import groups as mondrian
from bdlzoo.core import arrays, conformal
from bdlzoo.core.class_prediction import ClassPrediction
from bdlzoo.evaluation.adopted import adopted
from bdlzoo.model.predictive_model import PredictiveModel


class PredictionIntervals:
    """Finds, for each input, an interval that holds the value.

    Args:
        model: Trained regression: any Keras model, or a model of the zoo.
        method: `"absolute"` gives all rows one width, `"scaled"` that of the standard
            deviation, which a model of the zoo has. `"quantile"` starts from the
            quantiles of a model: a Keras model has two outputs, the lower and the upper
            one; a model of the zoo has those of its prediction.
        level: Float, the coverage: the share of intervals that hold the value.
        seed: Integer, seed of the draws of a model of the zoo.

    Example:

        intervals = bdlzoo.conformal.PredictionIntervals(model, level=0.95)
        intervals.fit(x_val, y_val)  # Rows that the model was not trained on.
        low, high = intervals.predict(x_test)
    """

    def __init__(self, model, method="absolute", level=0.9, seed=0):
        if method not in ("absolute", "scaled", "quantile"):
            raise ValueError("Expected one of 'absolute', 'scaled' and 'quantile'. "
                             f"Received: method={method!r}")
        if method == "scaled" and isinstance(model, keras.Model) and not isinstance(
                model, PredictiveModel):
            raise ValueError(
                "Expected a model of the zoo for widths by its uncertainty, such as "
                "`bdlzoo.methods.MCDropout(network, \"gaussian\")`. Received: "
                f"method='scaled' with a {type(model).__name__}")
        self.model = model
        self.method = method
        self.level = level
        self.seed = seed
        self.thresholds = {}  # What is fitted: an array `[D]` by group.
        self._has_quantiles = not isinstance(model, PredictiveModel)

    def fit(self, x, y, groups=None):
        """Fits thresholds to rows that the model was not trained on.

        Args:
            x: Inputs of the model.
            y: Values of the rows, `[B]` or `[B, D]`.
            groups: Group of each row `[B]`, integers or strings; `None` for none.

        Returns:
            The same object.
        """
        scores = self.scores(x, y)
        self.thresholds = mondrian.fitted(
            lambda places: conformal.threshold(scores[places], self.level),
            mondrian.rows_of(groups, len(scores)))
        return self

    def predict(self, x, groups=None):
        """Finds the intervals.

        Args:
            x: Inputs of the model.
            groups: Group of each row `[B]`, if there were groups in `fit`.

        Returns:
            Pair of arrays `[B, D]`, the lower and the upper ends. Where quantiles
            shrink past each other both are the middle.
        """
        if not self.thresholds:
            raise ValueError("Expected thresholds: call `fit(x, y)` on held-out rows "
                             "first. Received: none")
        low, high, width = self.ends(x)
        half = mondrian.of_rows(self.thresholds, groups, len(low)) * width
        return widened(low, high, half)

    def scores(self, x, y):
        """Scores of rows whose values are known, `[B, D]`.

        Args:
            x: Inputs of the model.
            y: Values of the rows, `[B]` or `[B, D]`.
        """
        return scores_of(*self.ends(x), y)

    def ends(self, x):
        """Ends before a threshold is added, and the unit of scores: `[B, D]` each.

        Args:
            x: Inputs of the model.
        """
        x = arrays.of_inputs(x)
        self.model = adopted(self.model, x, likelihood="gaussian")
        prediction = self.model.predict_uncertainty(x, seed=self.seed)
        if isinstance(prediction, ClassPrediction):
            raise ValueError("Expected a model of numbers: use `PredictionSets` for "
                             f"classes. Received: {prediction!r}")
        mean = np.asarray(prediction.mean, "float64")
        if mean.ndim != 2:
            raise ValueError("Expected a model with numbers for each row. Received: "
                             f"predictions of shape {mean.shape}")
        if self.method == "quantile":
            low, high = self._quantiles(prediction, mean)
            return low, high, np.ones_like(low)
        scaled = self.method == "scaled"
        width = np.asarray(prediction.std, "float64") if scaled else np.ones_like(mean)
        return mean, mean, width

    def _quantiles(self, prediction, mean):
        if not self._has_quantiles:
            return tuple(np.asarray(end, "float64")
                         for end in prediction.interval(self.level))
        if mean.shape[1] != 2:
            raise ValueError(
                "Expected a Keras model with two outputs, the lower and the upper "
                f"quantile. Received: outputs of shape {mean.shape}")
        return mean[:, :1], mean[:, 1:]


def widened(low, high, half):
    """Ends that are moved apart; where they would cross, both are the middle.

    Args:
        low: Array, lower ends.
        high: Array, upper ends.
        half: Array, by how much each is moved; negative numbers move them together.
    """
    half = np.maximum(half, 0.5 * (low - high))
    return low - half, high + half


def scores_of(low, high, width, y):
    """Scores of rows whose values are known, `[B, D]`.

    Args:
        low: Array `[B, D]`, lower ends before a threshold is added.
        high: Array, upper ends.
        width: Array, the unit of scores.
        y: Values of the rows, `[B]` or `[B, D]`.
    """
    y = np.asarray(y)
    if y.shape != low.shape and y.shape + (1,) != low.shape:
        raise ValueError(f"Expected values of shape {low.shape}. Received: y of "
                         f"shape {y.shape}")
    y = y.astype("float64").reshape(low.shape)
    if not np.isfinite(y).all():
        raise ValueError("Expected finite values. Received: y with "
                         f"{np.sum(~np.isfinite(y))} NaN or infinities")
    return np.maximum(low - y, y - high) / width
