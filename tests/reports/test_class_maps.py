"""Tests of the maps of classes."""

import numpy as np

from bdlzoo.reports import class_maps

TICKS = np.linspace(0, 1, 5), np.linspace(0, 2, 4)
MAP = np.linspace(0.0, 1.0, 20).reshape(4, 5)


def test_maps_have_points_and_boundaries():
    labelled = np.array([[0.0, 0.0], [1.0, 2.0], [0.5, 1.0]])
    figure = class_maps(TICKS, {"one": MAP, "two": 1.0 - MAP}, np.zeros([7, 2]),
                        labelled, [0, 1, 1])
    assert [axes.get_title() for axes in figure.axes] == ["one", "two"]
    for axes in figure.axes:
        found = {line.get_label(): line.get_xydata() for line in axes.lines}
        assert len(found["without label"]) == 7
        np.testing.assert_array_equal(found["class 1"], labelled[1:])
        np.testing.assert_array_equal(found["class 0"], labelled[:1])
        assert len(axes.collections) == 2  # The map and its boundary.
