"""Two panels of uncertainty: over label noise, and over the number of rows."""

import numpy as np

from bdlzoo.reports import doubt_curves


def test_curves_are_means_in_the_order_of_their_places_with_the_range_of_seeds():
    figure = doubt_curves({0.2: [0.6, 0.8], 0.0: [0.1, 0.1]},
                          {512: [0.01], 32: [0.05]}, {0.0: [0.2], 0.2: [0.5]})
    left, right = figure.axes
    truth, found = left.lines
    np.testing.assert_array_equal(found.get_xdata(), [0.0, 0.2])
    np.testing.assert_allclose(found.get_ydata(), [0.1, 0.7])
    np.testing.assert_allclose(truth.get_ydata(), [0.2, 0.5])
    band = left.collections[1].get_paths()[0].vertices
    assert band[:, 1].max() == 0.8 and left.get_ylim()[0] == 0.0
    np.testing.assert_array_equal(right.lines[0].get_xdata(), [32, 512])
    np.testing.assert_allclose(right.lines[0].get_ydata(), [0.05, 0.01])
    assert right.get_xscale() == "log"
    assert [text.get_text() for text in right.get_xticklabels()] == ["32", "512"]
    assert len(doubt_curves({0.0: [1.0]}, {4: [1.0]}).axes[0].lines) == 1
