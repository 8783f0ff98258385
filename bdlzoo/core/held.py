"""Values that a recurrent layer computes once and uses at all time steps.

    with held.values():
        for each step:
            mask = held.once((cell, "mask"), draw_a_mask)

Noise is a function of its key: a step that draws it again gets the same numbers, and
holding them only saves time. A loop of Keras runs its step once before the loop, so
that the values are outside of the graph of the loop.
"""

import contextlib
import threading

_HELD = threading.local()  # Each replica is traced in its own thread.


@contextlib.contextmanager
def values():
    """Holds what `once` computes until the end of the block."""
    outer, _HELD.values = getattr(_HELD, "values", None), {}
    try:
        yield
    finally:
        _HELD.values = outer


def once(name, compute):
    """Value of a function without arguments, which is held if a block is open.

    Args:
        name: Hashable, name of the value in the block.
        compute: Function without arguments.
    """
    known = getattr(_HELD, "values", None)
    if known is None:
        return compute()
    if name not in known:
        known[name] = compute()
    return known[name]
