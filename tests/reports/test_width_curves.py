"""Curves over width, with the range of the seeds."""

import numpy as np

from bdlzoo.reports import width_curves


def test_curves_are_means_in_per_cent_in_the_order_of_widths():
    figure = width_curves({"plain": {100: [0.2, 0.4], 10: [0.5, 0.5]},
                           "with a prior": {10: [0.1]}}, threshold=30)
    [axes] = figure.axes
    line = axes.lines[0]
    np.testing.assert_array_equal(line.get_xdata(), [10, 100])
    np.testing.assert_allclose(line.get_ydata(), [50.0, 30.0])
    assert axes.get_xscale() == "log" and axes.lines[-1].get_xdata()[0] == 30
    band = axes.collections[0].get_paths()[0].vertices
    assert band[:, 1].min() == 20.0 and band[:, 1].max() == 50.0
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [
        "plain", "with a prior"]
