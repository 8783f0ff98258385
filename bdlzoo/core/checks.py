"""Checks of arguments that many constructors share."""

import numpy as np


def check_count(name, value):
    """Raises where a value is no whole number of at least 1."""
    if not isinstance(value, (int, np.integer)) or value < 1:
        raise ValueError("Expected a whole number of at least 1. Received: "
                         f"{name}={value!r}")


def check_positive(**values):
    """Raises where one of the named values is not above 0."""
    for name, value in values.items():
        if not value > 0:
            raise ValueError(f"Expected a positive number. Received: {name}={value}")


def is_as_new(thing, word, other):
    """Whether a class has `word` from itself, or not above where it has `other`.

    A subclass that makes `other` stricter without `word` gets `False`.
    """
    kinds = type(thing).__mro__
    places = [next(place for place, kind in enumerate(kinds) if name in vars(kind))
              for name in (word, other)]
    return places[0] <= places[1]
