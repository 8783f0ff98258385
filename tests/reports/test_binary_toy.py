"""Tests of the sigmoids."""

import numpy as np

from bdlzoo.reports import binary_probability

X = np.array([[1.0], [-1.0], [0.0]])  # Not in order.
DRAWS = np.random.default_rng(0).uniform(size=(20, 3))


def _axes():
    [axes] = binary_probability(X, DRAWS, DRAWS.mean(0)[:, None], [[0.2], [0.3]],
                                [1, 0]).axes
    return axes


def _lines(axes, name):
    return [line for line in axes.lines if line.get_label() == name]


def test_every_draw_is_a_thin_curve_in_order_of_x():
    axes = _axes()
    [mean] = _lines(axes, "mean of draws")
    thin = [line for line in axes.lines if len(line.get_xdata()) == 3
            and line.get_linewidth() < mean.get_linewidth()]
    np.testing.assert_allclose([line.get_ydata() for line in thin],
                               DRAWS[:, [1, 2, 0]])
    np.testing.assert_allclose(mean.get_xydata().T,
                               [[-1, 0, 1], DRAWS.mean(0)[[1, 2, 0]]])


def test_band_holds_the_middle_of_the_draws():
    [band] = _axes().collections
    points = band.get_paths()[0].vertices
    at = points[points[:, 0] == 0.0, 1]
    np.testing.assert_allclose([at.min(), at.max()],
                               np.quantile(DRAWS[:, 2], [0.05, 0.95]))


def test_data_stand_at_their_class():
    axes = _axes()
    [data] = _lines(axes, "training data")
    np.testing.assert_allclose(data.get_xydata(), [[0.2, 1], [0.3, 0]])
    assert axes.get_ylabel() == "p(y = 1 | x)"
    assert "20 draws" in axes.get_title()
