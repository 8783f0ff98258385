"""Pictures of worlds."""

import numpy as np

from bdlzoo.worlds import drawing


def test_shapes_are_where_they_should_be():
    picture = drawing.blank(100)
    drawing.disc(picture, 0.2, 0.9, 0.05, "red")
    drawing.box(picture, 0.5, 1.0, 0.0, 0.5, "wall")
    drawing.line(picture, 0.1, 0.1, 0.0, 0.2, "agent")
    for place, name in (((10, 20), "red"), ((75, 75), "wall"), ((90, 20), "agent"),
                        ((25, 75), "floor")):
        np.testing.assert_array_equal(picture[place], drawing.COLOURS[name])


def test_tiles_have_lines_between_them():
    picture = drawing.tiles(np.array([["wall", "goal"]], object))
    assert picture.shape == (16, 32, 3)
    np.testing.assert_array_equal(picture[8, 24], drawing.COLOURS["goal"])
    assert (picture[8, 16] < picture[8, 17]).any()
