"""Tests of the plot of bias and variance."""

import numpy as np

from bdlzoo.reports import bias_variance

LINES = {"direct": np.array([[0.1, 1.0, 0.0, 9.0], [1.0, 2.0, 0.0, 8.0]]),
         "relaxed": np.array([[0.1, 3.0, 0.5, 7.0], [1.0, 4.0, 0.5, 6.0]])}


def test_panels_are_bias_with_floors_and_variance():
    left, right = bias_variance(LINES).axes
    np.testing.assert_allclose(left.lines[0].get_xydata(), [[0.1, 1.0], [1.0, 2.0]])
    np.testing.assert_allclose(right.lines[1].get_xydata(), [[0.1, 7.0], [1.0, 6.0]])
    assert [line.get_linestyle() for line in left.lines] == ["-", "-", ":"]
    assert len(right.lines) == 2
