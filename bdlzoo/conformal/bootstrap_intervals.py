"""Intervals for series by networks that were trained on resampled rows (EnbPI).

    residual_i = y_i - mean over members m without row i of f_m(x_i)
    centre(x)  = mean over rows i of the mean over members m without row i of f_m(x)
    interval   = [centre + quantile(beta), centre + quantile(1 - (1 - level) + beta)]

Members are trained on rows that are drawn with replacement, in blocks where neighbours
depend on each other. A member without a row judges it, so that no rows are held out.
`beta` makes the interval as narrow as it can be: errors need not be symmetric. As
values become known, the newest residuals take the place of the oldest, without any
training. Coverage is approximate: it needs errors that change slowly, not rows that can
be exchanged.

Reference: Xu and Xie, Conformal Prediction Interval for Dynamic Time-Series, ICML 2021.
"""

import keras
import numpy as np

from bdlzoo.core import arrays, batches, noise
from bdlzoo.core.checks import check_count

_AT_ONCE = 1024  # Rows that a member predicts at once.


class BootstrapIntervals:
    """Trains networks on resampled rows, and finds intervals from their residuals.

    Args:
        make: Function without arguments that returns a new, compiled Keras model with
            one output a row.
        level: Float, the share of intervals that should hold the value.
        num_members: Integer, networks that are trained.
        block: Integer, neighbouring rows that are drawn together: about the number of
            steps after which errors no longer depend on each other.
        seed: Integer, seed of the drawn rows. Initial weights are those of `make`.

    Example:

        intervals = bdlzoo.conformal.BootstrapIntervals(make, level=0.9, block=24)
        intervals.fit(x, y, epochs=20, verbose=0)
        low, high = intervals.predict(x_next)
        intervals.update(x_next, y_next)
    """

    def __init__(self, make, level=0.9, num_members=20, block=1, seed=0):
        if not 0.0 < level < 1.0:
            raise ValueError("Expected a coverage above 0 and below 1. Received: "
                             f"level={level}")
        check_count("num_members", num_members)
        check_count("block", block)
        self.make = make
        self.level = level
        self.num_members = num_members
        self.block = block
        self.seed = seed
        self.members = []
        self.residuals = None  # In the order of time, `[N]`.

    def fit(self, x, y, verbose="auto", **kwargs):
        """Trains the members.

        Args:
            x: Inputs, in the order of time.
            y: Values of the rows `[B]`.
            verbose: 0 is silent; otherwise a bar shows the members.
            **kwargs: Arguments of `fit` of a member, such as `epochs`.

        Returns:
            The same object.
        """
        x, y = arrays.of_inputs(x), np.asarray(y, "float32").ravel()
        places = self.places(batches.num_rows(x))
        without = np.array([~np.isin(np.arange(len(y)), rows) for rows in places])
        judged = without.any(axis=0)
        if not judged.any():
            raise ValueError(
                "Expected rows that some member is not trained on: take more members, "
                f"or shorter blocks. Received: num_members={self.num_members}, "
                f"block={self.block} with {len(y)} rows")
        bar = None if verbose == 0 else keras.utils.Progbar(self.num_members,
                                                            unit_name="member")
        self.members = []
        for rows in places:
            member = self.make()
            member.fit(batches.take(x, rows), y[rows], verbose=0, **kwargs)
            self.members.append(member)
            if bar is not None:
                bar.add(1)
        # Of each row that can be judged, the mean over the members without it.
        shares = without[:, judged] / without[:, judged].sum(axis=0)  # [M, N]
        self._weights = shares.mean(axis=1)
        found = self._of_members(x)[:, judged]
        self.residuals = y[judged] - np.sum(shares * found, axis=0)
        return self

    def places(self, num_rows):
        """Rows that each member is trained on, `[M, num_rows]`.

        Args:
            num_rows: Integer.
        """
        if num_rows < self.block:
            raise ValueError(f"Expected at least as many rows as a block has. "
                             f"Received: {num_rows} rows, block={self.block}")
        count = -(-num_rows // self.block)
        uniforms = noise.uniform([self.num_members, count],
                                 noise.key(self.seed, noise.RESAMPLE)).numpy()
        first = np.floor(uniforms * (num_rows - self.block + 1)).astype(int)
        rows = first[..., None] + np.arange(self.block)
        return rows.reshape(self.num_members, -1)[:, :num_rows]

    def predict(self, x):
        """Finds the intervals.

        Args:
            x: Inputs of the model.

        Returns:
            Pair of arrays `[B]`, the lower and the upper ends.
        """
        centre = self._centre(x)
        low, high = narrowest(self.residuals, self.level)
        return centre + low, centre + high

    def update(self, x, y):
        """Takes new residuals in the place of the oldest.

        Args:
            x: Inputs of the rows that were observed, in the order of time.
            y: Their values `[B]`.
        """
        new = np.asarray(y, "float32").ravel() - self._centre(x)
        self.residuals = np.concatenate([self.residuals, new])[-len(self.residuals):]

    def _centre(self, x):
        if self.residuals is None:
            raise ValueError("Expected trained members: call `fit(x, y)` first. "
                             "Received: none")
        return self._weights @ self._of_members(arrays.of_inputs(x))

    def _of_members(self, x):
        """Predictions of the members, `[M, B]`."""
        # Called, and not compiled: a compiled `predict` of each would be made once for
        # every number of rows.
        chunks = [batches.take(x, slice(start, start + _AT_ONCE))
                  for start in range(0, batches.num_rows(x), _AT_ONCE)]
        found = np.stack([np.concatenate([member(rows, training=False)
                                          for rows in chunks])
                          for member in self.members])
        if found.ndim != 3 or found.shape[-1] != 1:
            raise ValueError("Expected members with one output for each row. Received: "
                             f"outputs of shape {found.shape[1:]}")
        return found[..., 0]


def narrowest(residuals, level):
    """Ends of the narrowest interval that holds the share `level` of residuals.

    Args:
        residuals: Array `[N]`.
        level: Float in (0, 1).

    Returns:
        Pair of floats.
    """
    ordered = np.sort(residuals)
    inside = int(np.ceil(level * len(ordered) - 1e-9))
    widths = ordered[inside - 1:] - ordered[:len(ordered) - inside + 1]
    first = int(np.argmin(widths))
    return ordered[first], ordered[first + inside - 1]
