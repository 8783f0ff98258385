"""How a program ends when what it was given is wrong."""

import contextlib
import sys


@contextlib.contextmanager
def explained():
    """Turns an error that explains itself into its words and exit code 1.

    Anything else is a fault of ours and keeps its traceback.
    """
    try:
        yield
    except (ValueError, FileNotFoundError, FloatingPointError,
            PermissionError) as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(1)
