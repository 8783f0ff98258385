"""Tests of the curves over the number of members."""

import numpy as np

from bdlzoo.reports.member_curves import member_curves

SCORES = {"one set": np.array([[0.3, 0.2, 0.1], [0.5, 0.2, 0.2]]),
          "another": np.array([[1.0, 0.9, 0.8]])}


def test_panels_show_means_ranges_and_what_was_published():
    figure = member_curves(SCORES, published={"another": 0.7})
    first, second = figure.axes
    np.testing.assert_allclose(first.lines[0].get_xydata(),
                               [[1, 0.4], [2, 0.2], [3, 0.15]])
    band = first.collections[0].get_paths()[0].vertices
    at_one = band[band[:, 0] == 1, 1]
    np.testing.assert_allclose([at_one.min(), at_one.max()], [0.3, 0.5])
    assert len(first.lines) == 1
    assert second.lines[1].get_ydata()[0] == 0.7
    assert [axes.get_title() for axes in figure.axes] == list(SCORES)
