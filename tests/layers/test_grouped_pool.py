"""Pooling of a cell: the mean or the maximum of the pixels around each."""

import numpy as np

from tests.layers.cell_cases import GROUPS, IMAGE, WIDTH, make, reach


def test_a_pixel_sees_its_neighbours():
    operation = make("max_pool_3x3", np.zeros((1, 9, 9, GROUPS * WIDTH), "float32"))
    rows, columns = reach(operation)
    assert set(rows) == set(columns) == {3, 4, 5}


def test_features_are_the_mean_or_the_maximum_of_nine_pixels():
    around = IMAGE[:, 1:4, 2:5]
    for name, expected in (("average_pool_3x3", around.mean((1, 2))),
                           ("max_pool_3x3", around.max((1, 2)))):
        found = make(name, IMAGE).features(IMAGE)[:, 2, 3]
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
