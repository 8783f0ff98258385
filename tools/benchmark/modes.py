"""Modes in which a contender can run: its compiler, or its threads."""

KERAS = ("graph", "xla")
# PyTorch's threads wait by spinning. On shared cores one thread may be faster.
TORCH = ("all-cores", "one-core")
_TITLES = {"xla": "XLA", "all-cores": "all cores", "one-core": "one core"}


def title(mode):
    """The name of a mode on the pages."""
    return _TITLES.get(mode, mode)
