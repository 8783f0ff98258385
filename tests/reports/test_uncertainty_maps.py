"""Tests of maps of confidence."""

import numpy as np

from bdlzoo.reports import uncertainty_maps

SIDE = np.array([-1.0, 0.0, 1.0])
MAPS = {"one": np.linspace(0.5, 0.9, 9).reshape(3, 3), "two": np.full((3, 3), 0.7)}


def _axes():
    figure = uncertainty_maps(SIDE, MAPS, [[0.5, -0.5], [0.2, 0.3], [0.1, 0.9]],
                              [1, 0, 1])
    return figure.axes


def test_each_model_has_a_panel_with_its_map():
    one, two, _ = _axes()
    for axes, title in ((one, "one"), (two, "two")):
        assert axes.get_title() == title
        image = axes.collections[0]
        np.testing.assert_allclose(np.reshape(image.get_array(), (3, 3)), MAPS[title])
        # A column has one first coordinate: cells reach half a step further.
        np.testing.assert_allclose(image.get_coordinates()[0, :, 0],
                                   [-1.5, -0.5, 0.5, 1.5])


def test_colours_mean_the_same_in_all_panels():
    one, two, bar = _axes()
    assert one.collections[0].get_clim() == two.collections[0].get_clim() == (0.5, 1)
    assert bar.get_ylabel() == "confidence"


def test_points_are_drawn_by_class():
    one, *_ = _axes()
    lines = {line.get_label(): line.get_xydata() for line in one.lines}
    np.testing.assert_allclose(lines["class 0"], [[0.2, 0.3]])
    np.testing.assert_allclose(lines["class 1"], [[0.5, -0.5], [0.1, 0.9]])
    assert one.get_xlim() == one.get_ylim() == (-1.0, 1.0)
