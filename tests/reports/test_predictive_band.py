"""Tests of the bands of a regression."""

import numpy as np

from bdlzoo.core.regression_prediction import RegressionPrediction
from bdlzoo.reports import predictive_band

X = np.array([[2.0], [0.0], [1.0]])  # Not in order.
MEANS = np.array([[[1.0], [0.0], [4.0]], [[3.0], [0.0], [6.0]]])  # [S, N, 1]
VARIANCES = np.array([[[3.0], [4.0], [8.0]], [[3.0], [4.0], [8.0]]])


def _axes(**kwargs):
    figure = predictive_band(X, RegressionPrediction(MEANS, VARIANCES),
                             np.array([[0.5], [1.5]]), [7.0, 8.0], **kwargs)
    return figure, figure.axes[0]


def _half_width(axes, name):
    """Half height of a band at x = 0, 1, 2."""
    [band] = [c for c in axes.collections if name in c.get_label()]
    points = band.get_paths()[0].vertices
    return [np.ptp(points[points[:, 0] == x, 1]) / 2 for x in (0.0, 1.0, 2.0)]


def _line(axes, name):
    [line] = [line for line in axes.lines if line.get_label() == name]
    return line.get_xydata()


def test_mean_is_drawn_in_order_of_x():
    _, axes = _axes()
    np.testing.assert_allclose(_line(axes, "mean"), [[0, 0], [1, 5], [2, 2]])


def test_bands_are_two_standard_deviations_of_the_model_and_of_all():
    _, axes = _axes()
    np.testing.assert_allclose(_half_width(axes, "epistemic"), [0, 2, 2])
    np.testing.assert_allclose(_half_width(axes, "aleatoric"), [4, 6, 4])


def test_data_and_truth_are_drawn():
    _, axes = _axes(truth=np.array([20.0, 0.0, 10.0]))
    np.testing.assert_allclose(_line(axes, "training data"), [[0.5, 7], [1.5, 8]])
    np.testing.assert_allclose(_line(axes, "truth"), [[0, 0], [1, 10], [2, 20]])


def test_legend_names_what_is_there():
    figure, axes = _axes()
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert "truth" not in names and len(names) == 4
    assert axes.get_ylabel() == "y"


def test_standard_deviations_stand_below():
    figure, _ = _axes()
    lower = figure.axes[1]
    np.testing.assert_allclose(_line(lower, "epistemic"), [[0, 0], [1, 1], [2, 1]])
    np.testing.assert_allclose(_line(lower, "aleatoric")[:, 1],
                               [2, np.sqrt(8), np.sqrt(3)])
    assert lower.get_xlabel() == "x"
