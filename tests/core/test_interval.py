"""Test of the interval."""

from bdlzoo.core.interval import Interval


def test_value_comes_first_and_ends_can_be_moved():
    value, low, high = Interval(0.5, 0.4, 0.7)
    assert (value, low, high) == (0.5, 0.4, 0.7)
    assert Interval(0.5, -0.1, 0.7)._replace(low=0.0).low == 0.0
