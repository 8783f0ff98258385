"""Adaptive intervals: their bound holds for any series, and rate 0 is the limit."""

import keras
import numpy as np
import pytest

from bdlzoo.conformal import AdaptiveIntervals, PredictionIntervals


def _network(outputs=1):
    keras.utils.set_random_seed(0)
    return keras.Sequential([keras.Input((1,)), keras.layers.Dense(outputs)])


def _series(count, seed=0):
    """Errors that become ten times as large half-way."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(count, 1)).astype("float32")
    scale = np.where(np.arange(count) < count // 2, 1.0, 10.0)
    return x, x[:, 0] + scale * rng.normal(size=count)


def _missed(ends, y):
    low, high = ends
    return ~((low[:, 0] <= y) & (y <= high[:, 0]))  # Also of empty ones, NaN.


@pytest.mark.parametrize("rate", [0.01, 0.05])
@pytest.mark.parametrize("worst", [False, True])
def test_share_of_misses_keeps_its_bound_whatever_the_series(rate, worst):
    x, y = _series(1500)
    if worst:  # As far as it can be, or as close, in long turns.
        y = np.where(np.arange(1500) // 300 % 2, 1e6, _network().predict(
            x, verbose=0)[:, 0])
    intervals = AdaptiveIntervals(_network(), level=0.9, rate=rate).fit(
        x[:200], y[:200])
    missed = _missed(intervals.run(x[200:], y[200:]), y[200:])
    bound = (0.9 + rate) / (rate * len(missed))
    assert abs(missed.mean() - 0.1) <= bound
    if not worst:  # A fixed threshold misses most of the later steps.
        plain = PredictionIntervals(_network(), level=0.9).fit(x[:200], y[:200])
        assert _missed(plain.predict(x[750:]), y[750:]).mean() > 0.5
        assert abs(missed[800:].mean() - 0.1) < 0.06


def test_a_tiny_rate_gives_the_plain_intervals():
    x, y = _series(100)
    adaptive = AdaptiveIntervals(_network(), level=0.8, rate=1e-9).fit(x, y)
    plain = PredictionIntervals(_network(), level=0.8).fit(x, y)
    np.testing.assert_allclose(adaptive.predict(x), plain.predict(x))


def test_steps_one_by_one_are_those_of_a_run():
    x, y = _series(60)
    whole, single = (AdaptiveIntervals(_network(), rate=0.1, window=25).fit(
        x[:30], y[:30]) for _ in range(2))
    low, high = whole.run(x[30:], y[30:])
    for place in range(30, 60):
        row = slice(place, place + 1)
        ends = single.predict(x[row])
        np.testing.assert_allclose(np.ravel(ends),
                                   [low[place - 30, 0], high[place - 30, 0]], rtol=1e-5)
        [missed] = single.update(x[row], y[row])
        assert missed == _missed(ends, y[row])[0]
    assert single.next_level == pytest.approx(whole.next_level)
    assert len(single._scores) == len(single._sorted) == 25
    newest = PredictionIntervals(_network()).scores(x[-25:], y[-25:])[:, 0]
    np.testing.assert_allclose(single._sorted, np.sort(newest), rtol=1e-5)


def test_wrong_arguments_are_refused():
    x, y = _series(20)
    with pytest.raises(ValueError, match="positive rate"):
        AdaptiveIntervals(_network(), rate=0.0)
    with pytest.raises(ValueError, match="window=0"):
        AdaptiveIntervals(_network(), window=0)
    with pytest.raises(ValueError, match="level=1.0"):
        AdaptiveIntervals(_network(), level=1.0)
    with pytest.raises(ValueError, match="call `fit"):
        AdaptiveIntervals(_network()).predict(x)
    with pytest.raises(ValueError, match="one output"):
        AdaptiveIntervals(_network(2)).fit(x, np.stack([y, y], 1))
