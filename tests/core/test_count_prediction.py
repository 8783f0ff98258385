"""Mixtures of counts against scipy and sums."""

import numpy as np
import pytest
import scipy.stats
from tensorflow_probability import distributions as tfd

from bdlzoo.core.count_prediction import CountPrediction

RATES = np.array([0.4, 3.0, 12.0]).reshape(3, 1, 1)
COUNTS = np.arange(3000)


def _poisson(rates):
    return (CountPrediction(tfd.Poisson(rates)),
            scipy.stats.poisson(rates).cdf(COUNTS).mean(0)[0])


def test_quantile_is_the_smallest_count_that_reaches_the_level():
    prediction, cdf = _poisson(RATES)
    levels = np.array([0.01, 0.025, 0.3, 0.5, 0.77, 0.975, 0.999])
    np.testing.assert_array_equal(prediction.quantile(levels)[0, 0],
                                  np.searchsorted(cdf, levels))


def test_distribution_function_is_a_staircase_from_zero():
    prediction, cdf = _poisson(RATES)
    np.testing.assert_allclose(prediction.cdf([[3.7]]), [[cdf[3]]], rtol=1e-6)
    assert prediction.cdf([[-1.0]]) == 0


@pytest.mark.parametrize("rates", [RATES, 100.0 * RATES], ids=["exact", "strides"])
def test_crps_is_the_sum_over_counts(rates):
    _, cdf = _poisson(rates)
    y = np.array([[0.0], [11.0], [900.0]])
    prediction, _ = _poisson(np.tile(rates, [1, 3, 1]))
    expected = np.sum((cdf - (COUNTS >= y))**2, axis=-1, keepdims=True)
    np.testing.assert_allclose(prediction.crps(y), expected, rtol=1e-4)


def test_conformal_interval_has_whole_ends():
    prediction, _ = _poisson(RATES)
    low, high = prediction.with_interval([1.3]).conformal_interval
    middle, above = prediction.quantile((0.5, 0.95))[0, 0].numpy()
    assert low == 0 and high == np.floor(middle + 1.3 * (above - middle))
    # A row whose counts are nearly always 0 has an interval too.
    rare, _ = _poisson(0.01 * RATES[:1])
    np.testing.assert_allclose(rare.conformal_scores([[2.0]]), [[2.0]])


def test_a_count_is_not_stretched():
    with pytest.raises(ValueError, match="counts"):
        _poisson(RATES)[0].tempered(2.0)
