"""Tests of the coverage curves of several models."""

import numpy as np
import pytest
from scipy import stats

from bdlzoo.core.regression_prediction import RegressionPrediction
from bdlzoo.metrics import CWCE
from bdlzoo.reports.coverage_curve import coverage_curve

LEVELS = np.arange(1, 100) / 100


def _run(scale=1.0, rows=4000):
    """One draw, `N(0, scale**2)` for every row, and quantiles of `N(0, 1)`."""
    zeros = np.zeros((1, rows, 1), "float32")
    targets = stats.norm.ppf((np.arange(rows) + 0.5) / rows).astype("float32")
    return RegressionPrediction(zeros, zeros + scale**2), targets


def _curves(figure):
    [axes] = figure.axes
    return {line.get_label(): line.get_xydata().T for line in axes.lines}


def test_curve_of_each_model_is_that_of_its_widths():
    curves = _curves(coverage_curve({"narrow": _run(0.5), "right": _run()}))
    assert list(curves)[0] == "calibrated" and len(curves) == 3
    for (label, (expected, observed)), scale in zip(
            list(curves.items())[1:], (0.5, 1.0)):
        assert label.startswith("narrow" if scale < 1 else "right (0.0)")
        np.testing.assert_allclose(expected, LEVELS)
        ends = scale * stats.norm.ppf(0.5 + LEVELS / 2)
        np.testing.assert_allclose(observed, 2 * stats.norm.cdf(ends) - 1,
                                   atol=1e-3)


def test_label_gives_the_calibration_error():
    prediction, targets = _run(3.0)
    metric = CWCE()
    metric.update_state(targets, prediction)
    [_, label] = _curves(coverage_curve({"wide": (prediction, targets)}))
    assert label == f"wide ({float(metric.result()):.1f})"


def test_models_may_have_rows_of_their_own_and_colours_without_end():
    runs = {str(rows): _run(rows=rows) for rows in range(10, 18)}
    assert len(_curves(coverage_curve(runs))) == 9


def test_no_models_and_values_that_are_no_numbers_are_refused():
    with pytest.raises(ValueError, match="Received: runs={}"):
        coverage_curve({})
    prediction, targets = _run(rows=10)
    targets[3] = np.nan
    with pytest.raises(ValueError, match="Received: others in 'bad'"):
        coverage_curve({"bad": (prediction, targets)})
