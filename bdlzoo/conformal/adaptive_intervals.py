"""Intervals for a series that drifts: the level follows the errors that were made.

    level_{t+1} = level_t + rate (error_t - (1 - level))
    error_t     = 1 if the interval of step t missed its value, otherwise 0

After a miss the next interval is wider, after a hit a little narrower. Whatever the
series does, the share of misses in T steps differs from `1 - level` by at most
`(max(level, 1 - level) + rate) / (rate T)`. The price is that single intervals may be
infinite (level above 1) or empty (level below 0).

Reference: Gibbs and Candes, Adaptive Conformal Inference Under Distribution Shift,
NeurIPS 2021.
"""

import bisect
import collections
import math

import numpy as np

from bdlzoo.conformal.prediction_intervals import (
    PredictionIntervals,
    scores_of,
    widened,
)
from bdlzoo.core.checks import check_count


class AdaptiveIntervals:
    """Finds intervals for a series, step by step.

    Args:
        model: Trained regression with one output: any Keras model, or a model of the
            zoo.
        method: As in `PredictionIntervals`.
        level: Float, the share of steps whose interval should hold the value.
        rate: Float above 0; a large one follows changes quickly, and widths vary more.
        window: Integer, number of the newest scores that count; `None` for all.
        seed: Integer, seed of the draws of a model of the zoo.

    Example:

        intervals = bdlzoo.conformal.AdaptiveIntervals(model, rate=0.02, window=500)
        intervals.fit(x_val, y_val)
        for x, y in stream:  # One row each.
            low, high = intervals.predict(x)
            intervals.update(x, y)
    """

    def __init__(self, model, method="absolute", level=0.9, rate=0.01, window=None,
                 seed=0):
        if not 0.0 < level < 1.0:
            raise ValueError("Expected a coverage above 0 and below 1. Received: "
                             f"level={level}")
        if not rate > 0:
            raise ValueError(f"Expected a positive rate. Received: rate={rate}")
        if window is not None:
            check_count("window", window)
        self.intervals = PredictionIntervals(model, method, level, seed)
        self.level = level
        self.rate = rate
        self.window = window
        self.next_level = level  # That of the next interval.
        self._scores = collections.deque()  # In the order of time,
        self._sorted = []  # and from the smallest.

    def fit(self, x, y):
        """Takes the scores of rows that the model was not trained on.

        Args:
            x: Inputs of the model, in the order of time.
            y: Values of the rows `[B]`.

        Returns:
            The same object.
        """
        scores = _one_output(self.intervals.scores(x, y))
        self.next_level = self.level
        self._scores = collections.deque(scores[-(self.window or len(scores)):])
        self._sorted = sorted(self._scores)
        return self

    def predict(self, x):
        """Finds the intervals of rows at the present level.

        Args:
            x: Inputs of the model.

        Returns:
            Pair of arrays `[B, 1]`, the lower and the upper ends; those of an empty
            interval are NaN.
        """
        low, high, width = self.intervals.ends(x)
        return _ends(low, high, width, np.full(len(low), self._threshold()))

    def update(self, x, y):
        """Follows what was observed.

        Args:
            x: Inputs of the rows that were observed, in the order of time.
            y: Their values `[B]`.

        Returns:
            Bools `[B]`, whether the interval of each step missed its value.
        """
        return self._follow(_one_output(self.intervals.scores(x, y)))[1]

    def run(self, x, y):
        """Goes through a series whose values become known step by step.

        Args:
            x: Inputs of the model, in the order of time.
            y: Values of the rows `[B]`; each is used after its interval is known.

        Returns:
            Pair of arrays `[B, 1]`, the lower and the upper ends; those of an empty
            interval are NaN.
        """
        ends = self.intervals.ends(x)  # The model is asked once.
        thresholds, _ = self._follow(_one_output(scores_of(*ends, y)))
        return _ends(*ends, thresholds)

    def _follow(self, scores):
        """Thresholds of steps, and whether they were missed; adapts after each."""
        thresholds, missed = [], []
        for score in scores:
            thresholds.append(self._threshold())
            missed.append(score > thresholds[-1])
            self.next_level += self.rate * (missed[-1] - (1.0 - self.level))
            self._scores.append(score)
            bisect.insort(self._sorted, score)
            if self.window and len(self._scores) > self.window:
                oldest = self._scores.popleft()
                del self._sorted[bisect.bisect_left(self._sorted, oldest)]
        return np.array(thresholds), np.array(missed)

    def _threshold(self):
        """Quantile of the scores at the present level; infinite outside of (0, 1)."""
        if not self._scores:
            raise ValueError("Expected scores: call `fit(x, y)` on held-out rows "
                             "first. Received: none")
        # The rounding of a product must not add 1 to the place.
        place = math.ceil((len(self._sorted) + 1) * self.next_level - 1e-9)
        if place < 1:
            return -math.inf
        return self._sorted[place - 1] if place <= len(self._sorted) else math.inf


def _ends(low, high, width, thresholds):
    thresholds = np.where(thresholds == -math.inf, np.nan, thresholds)  # Empty.
    return widened(low, high, thresholds[:, None] * width)


def _one_output(scores):
    if scores.shape[1] != 1:
        raise ValueError("Expected a model with one output for each row. Received: "
                         f"outputs of shape {scores.shape}")
    return scores[:, 0]
