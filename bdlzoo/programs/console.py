"""How the programs talk: tables, and errors in a few lines."""

import contextlib
import logging
import sys

import absl.logging
from absl import app, flags


def run(main):
    """Starts a program; a config flag that names no key ends in one line.

    Libraries tell warnings only, unless `--verbosity` asks for more.
    """

    def quiet(argv):
        if not flags.FLAGS["verbosity"].present:
            absl.logging.set_verbosity(absl.logging.WARNING)
            logging.getLogger("tensorflow").setLevel(logging.WARNING)
        main(argv)

    app.run(quiet, flags_parser=_parse)


def _parse(argv):
    try:
        return app.parse_flags_with_usage(argv)
    except (AttributeError, KeyError, TypeError) as error:
        given = [arg for arg in argv if arg.startswith("--config.")]
        print("ValueError: Expected --config.KEY=VALUE with a key of the config "
              f"file and a value of its type. Received: {' '.join(given)}, "
              f"where {error} is not one", file=sys.stderr)
        sys.exit(1)


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
