"""Intervals for any regression: coverage whatever the model, and quantiles."""

import keras
import numpy as np
import pytest

from bdlzoo.conformal import PredictionIntervals
from bdlzoo.conformal.prediction_intervals import widened
from bdlzoo.methods import MCDropout


def _rows(count, seed=0):
    """Noise with heavy tails that grows with the input."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, (count, 1)).astype("float32")
    return x, x[:, 0] + (1.2 + x[:, 0]) * rng.standard_t(2, size=count)


def _network(outputs=1, dropout=0.0):
    keras.utils.set_random_seed(0)
    return keras.Sequential([keras.Input((1,)), keras.layers.Dense(8, "tanh"),
                             keras.layers.Dropout(dropout),
                             keras.layers.Dense(outputs)])


def _models():
    drawn = MCDropout(_network(dropout=0.5), "gaussian", num_samples=8, seed=0)
    drawn.compile()
    return (("absolute", _network()), ("scaled", drawn), ("quantile", _network(2)),
            ("quantile", drawn))


@pytest.mark.parametrize("place", range(4))
def test_coverage_is_within_its_bounds(place, count=10):
    method, model = _models()[place]
    intervals = PredictionIntervals(model, method, level=0.8)
    x, y = _rows(3000)
    rng, means = np.random.default_rng(1), []
    for _ in range(count):
        fit, test = np.split(rng.permutation(len(y))[:499], [99])
        low, high = intervals.fit(x[fit], y[fit]).predict(x[test])
        means.append(((low[:, 0] <= y[test]) & (y[test] <= high[:, 0])).mean())
    error = np.std(means) / np.sqrt(count)
    assert 0.8 - 3 * error < np.mean(means) < 0.8 + 1 / 100 + 3 * error


@pytest.mark.slow
@pytest.mark.parametrize("place", range(4))
def test_coverage_is_within_its_bounds_over_200_splits(place):
    test_coverage_is_within_its_bounds(place, count=200)


def test_scores_are_the_gaps_to_the_ends():
    network = _network(2)
    x, y = _rows(20)
    low, high = network.predict(x, verbose=0).T
    scores = PredictionIntervals(network, "quantile").scores(x, y)
    expected = np.where(y < low, low - y, np.where(
        y > high, y - high, -np.minimum(y - low, high - y)))
    crossed = low > high  # Then a value is outside of one end at least.
    expected[crossed] = np.maximum(low - y, y - high)[crossed]
    np.testing.assert_allclose(scores[:, 0], expected, rtol=1e-5)


def test_intervals_of_a_calibrated_model_are_the_scaled_ones():
    _, model = _models()[1]
    (x, y), (new, _) = _rows(100), _rows(30, seed=2)
    found = PredictionIntervals(model, "scaled", level=0.9).fit(x, y).predict(new)
    model.calibrate(x, y, method="interval", level=0.9)
    np.testing.assert_allclose(
        found, model.predict_uncertainty(new).conformal_interval, rtol=1e-4)


def test_groups_have_widths_of_their_own():
    x, y = _rows(400)
    groups = (x[:, 0] > 0).astype(int)
    intervals = PredictionIntervals(_network(), level=0.9).fit(x, y, groups)
    low, high = intervals.predict(x, groups)
    for group in (0, 1):
        alone = PredictionIntervals(_network(), level=0.9).fit(
            x[groups == group], y[groups == group])
        np.testing.assert_allclose(
            np.ptp(np.stack([low, high]), axis=0)[groups == group, 0],
            np.ptp(alone.predict(x[:1])), rtol=1e-5)


def test_ends_do_not_cross():
    low, high = widened(np.array([0.0, 0.0]), np.array([1.0, 1.0]),
                        np.array([-0.75, 0.5]))
    np.testing.assert_array_equal(low, [0.5, -0.5])
    np.testing.assert_array_equal(high, [0.5, 1.5])


def test_other_models_and_rows_are_refused():
    x, y = _rows(30)
    intervals = PredictionIntervals(_network())
    with pytest.raises(ValueError, match="call `fit"):
        intervals.predict(x)
    with pytest.raises(ValueError, match=r"shape \(30, 1\)"):
        intervals.fit(x, y[:-1])
    with pytest.raises(ValueError, match="1 NaN"):
        intervals.fit(x, np.append(y[1:], np.nan))
    with pytest.raises(ValueError, match="model of the zoo for widths"):
        PredictionIntervals(_network(), "scaled")
    with pytest.raises(ValueError, match="two outputs"):
        PredictionIntervals(_network(3), "quantile").fit(x, y)
    with pytest.raises(ValueError, match="method='best'"):
        PredictionIntervals(_network(), "best")
    classifier = MCDropout(_network(3), num_samples=2, seed=0)
    classifier.compile()
    with pytest.raises(ValueError, match="use `PredictionSets`"):
        PredictionIntervals(classifier).fit(x, y)
