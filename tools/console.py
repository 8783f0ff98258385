"""How the programs talk: tables, and errors in a few lines."""

import contextlib
import sys


@contextlib.contextmanager
def explained():
    """Turns an error that explains itself into its words and exit code 1.

    Anything else is a fault of ours and keeps its traceback.
    """
    try:
        yield
    except (ValueError, OSError, FloatingPointError) as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(1)


def table(metrics):
    """Prints names and figures."""
    width = max(map(len, metrics))
    for name, value in sorted(metrics.items()):
        print(f"  {name:<{width}}  {value:8.4f}")
