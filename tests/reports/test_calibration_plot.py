"""Tests of the calibration plot of regression."""

import numpy as np
import pytest
from scipy import stats

from bdlzoo.core.regression_prediction import RegressionPrediction
from bdlzoo.reports.calibration_plot import calibration_plot


def _prediction(scale=1.0, rows=4000):
    """One draw, `N(0, scale**2)` for every row."""
    zeros = np.zeros((1, rows, 1), "float32")
    return RegressionPrediction(zeros, zeros + scale**2)


def _targets(rows=4000):
    """Quantiles of the standard normal: a sample without chance."""
    return stats.norm.ppf((np.arange(rows) + 0.5) / rows).astype("float32")


def _curve(figure):
    upper, _ = figure.axes
    [line] = [line for line in upper.lines if line.get_label() == "model"]
    return line.get_xydata().T


def test_calibrated_intervals_hold_what_they_say():
    figure = calibration_plot(_prediction(), _targets(), num_bins=10)
    expected, observed = _curve(figure)
    np.testing.assert_allclose(observed, expected, atol=1e-3)
    np.testing.assert_allclose(
        figure.axes[1].patches[0].get_data().values, np.full(10, 0.1), atol=1e-3)
    assert "95 % hold 95.0 %" in figure.axes[0].get_title()


@pytest.mark.parametrize("scale", [0.5, 2.0])
def test_wrong_scales_bend_the_curve_as_the_formula_says(scale):
    expected, observed = _curve(calibration_plot(_prediction(scale), _targets()))
    # Ends of the interval are `scale` times those of the true distribution.
    ends = scale * stats.norm.ppf(0.5 + expected[:-1] / 2)
    np.testing.assert_allclose(observed[:-1], 2 * stats.norm.cdf(ends) - 1,
                               atol=2e-3)


def test_grey_is_the_chance_of_so_many_rows():
    upper, _ = calibration_plot(_prediction(rows=100), _targets(100)).axes
    [path] = upper.collections[0].get_paths()
    x, y = path.vertices.T
    # The binomial in the middle: 0.5 +- 1.96 * sqrt(0.25 / 100).
    np.testing.assert_allclose(np.unique(y[x == 0.5]), [0.402, 0.598], atol=1e-6)


def test_values_that_are_no_numbers_are_refused():
    targets = _targets(10)
    targets[3] = np.nan
    with pytest.raises(ValueError, match="Received: 1 of 10"):
        calibration_plot(_prediction(rows=10), targets)
