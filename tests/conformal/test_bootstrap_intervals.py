"""Bootstrap intervals: residuals as defined, of members that did not see the row."""

import keras
import numpy as np
import pytest

from bdlzoo.conformal import BootstrapIntervals
from bdlzoo.conformal.bootstrap_intervals import narrowest


def _make():
    model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(
        1, kernel_initializer="zeros")])
    model.compile(keras.optimizers.SGD(0.1), "mse")
    return model


def _series(count, seed=0):
    """A line with errors to one side, each like the last."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, (count, 1)).astype("float32")
    errors = np.convolve(rng.exponential(size=count + 4), np.ones(5) / 5, "valid")
    return x, (x[:, 0] + errors).astype("float32")


def test_residuals_and_centre_are_those_of_the_paper():
    x, y = _series(40)
    intervals = BootstrapIntervals(_make, level=0.8, num_members=4).fit(
        x, y, epochs=2, verbose=0)
    places = intervals.places(40)
    of_members = [member.predict(x, verbose=0)[:, 0] for member in intervals.members]
    residuals, centres = [], []
    for row in range(40):
        judges = [m for m in range(4) if row not in places[m]]
        if judges:
            mean = np.mean([of_members[m] for m in judges], axis=0)
            residuals.append(y[row] - mean[row])
            centres.append(mean)
    np.testing.assert_allclose(intervals.residuals, residuals, atol=1e-5)
    low, high = intervals.predict(x)
    ends = narrowest(np.array(residuals), 0.8)
    np.testing.assert_allclose(low, np.mean(centres, axis=0) + ends[0], atol=1e-5)
    np.testing.assert_allclose(high, np.mean(centres, axis=0) + ends[1], atol=1e-5)


def test_intervals_hold_about_as_often_as_asked_and_follow_a_change():
    (x, y), (new, values) = _series(300), _series(900, seed=1)
    values[300:] += 3.0
    intervals = BootstrapIntervals(_make, level=0.9, num_members=4, block=10).fit(
        x, y, epochs=8, batch_size=16, verbose=0)
    held, first = [], intervals.residuals
    for start in range(0, 900, 20):
        rows = slice(start, start + 20)
        low, high = intervals.predict(new[rows])
        held.append((low <= values[rows]) & (values[rows] <= high))
        intervals.update(new[rows], values[rows])
    assert len(intervals.residuals) == len(first)
    assert not np.isin(intervals.residuals, first).any()
    assert abs(np.mean(held[:15]) - 0.9) < 0.05
    assert np.mean(held[15]) == 0.0  # The change was not known.
    assert abs(np.mean(held[30:]) - 0.9) < 0.05  # All residuals are newer than it.


def test_narrowest_interval_is_the_best_of_all():
    values = np.random.default_rng(0).exponential(size=30)
    low, high = narrowest(values, 0.7)
    ordered = np.sort(values)
    widths = [b - a for i, a in enumerate(ordered) for b in ordered[i:]
              if np.sum((values >= a) & (values <= b)) >= 21]
    assert high - low == pytest.approx(min(widths))
    assert np.sum((values >= low) & (values <= high)) == 21


def test_rows_come_in_blocks():
    places = BootstrapIntervals(_make, num_members=3, block=4, seed=5).places(18)
    assert places.shape == (3, 18) and places.min() >= 0 and places.max() < 18
    blocks = places[:, :16].reshape(3, 4, 4)
    assert (np.diff(blocks) == 1).all() and len(np.unique(blocks[..., 0])) > 4


def test_wrong_arguments_are_refused():
    x, y = _series(8)
    with pytest.raises(ValueError, match="level=0"):
        BootstrapIntervals(_make, level=0.0)
    with pytest.raises(ValueError, match="num_members=0"):
        BootstrapIntervals(_make, num_members=0)
    with pytest.raises(ValueError, match="as many rows as a block"):
        BootstrapIntervals(_make, block=9).fit(x, y)
    with pytest.raises(ValueError, match="take more members"):
        BootstrapIntervals(_make, num_members=1, block=8).fit(x, y, verbose=0)
    with pytest.raises(ValueError, match="call `fit"):
        BootstrapIntervals(_make).predict(x)
