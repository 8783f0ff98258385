"""Interval of a value."""

import typing


class Interval(typing.NamedTuple):
    """A value and the ends of its interval, as floats or arrays.

    The ends are NaN if they are not known.
    """

    value: float
    low: float
    high: float
