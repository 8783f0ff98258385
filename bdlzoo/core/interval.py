"""A figure and how far it may be off."""

import typing


class Interval(typing.NamedTuple):
    """A figure and the ends of its interval; floats, or arrays of them.

    The ends are NaN where nothing is known of them.
    """

    value: float
    low: float
    high: float
