"""Tests of the curve of evidence bounds."""

import numpy as np

from bdlzoo.reports import evidence_curve

BOUNDS = np.array([[-30.0, 5.0, -20.0], [-40.0, 3.0, -10.0]])


def _axes():
    [axes] = evidence_curve(np.array([2, 4, 16]), BOUNDS, 31.0, 26.0).axes
    return axes


def test_lines_are_the_mean_bound_and_both_numbers_of_the_linear_model():
    network, exact, bound = _axes().lines
    np.testing.assert_allclose(network.get_xydata(), [[2, -35], [4, 4], [16, -15]])
    assert set(exact.get_ydata()) == {31.0} and "evidence" in exact.get_label()
    assert set(bound.get_ydata()) == {26.0} and "bound" in bound.get_label()


def test_band_is_the_range_over_seeds():
    [band] = _axes().collections
    points = band.get_paths()[0].vertices
    for width, low, high in ((2, -40, -30), (4, 3, 5), (16, -20, -10)):
        at = points[points[:, 0] == width, 1]
        assert (at.min(), at.max()) == (low, high)


def test_axes_say_what_is_seen():
    axes = _axes()
    assert "2 seeds" in axes.get_title()
    assert axes.get_xlabel() == "Hidden units" and "nats" in axes.get_ylabel()
    ticks = [text.get_text() for text in axes.get_xticklabels()]
    assert ticks == ["2", "4", "16"]
    assert len(axes.get_legend().get_texts()) == 3
