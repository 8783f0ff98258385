"""How the programs talk: flags, tables, and errors in a few lines."""

import ast
import contextlib
import logging
import pathlib
import re
import sys

import absl.logging
from absl import app, flags

from bdlzoo.runs.config import find_config


def run(main, takes_words=False):
    """Starts a program; wrong flags end in a few lines.

    Libraries tell warnings only, unless `--verbosity` asks for more.

    Args:
        main: Function of the words of the command line that are no flags.
        takes_words: Boolean, whether there may be such words, behind the name of
            the program.
    """

    def quiet(argv):
        if not flags.FLAGS["verbosity"].present:
            absl.logging.set_verbosity(absl.logging.WARNING)
            logging.getLogger("tensorflow").setLevel(logging.WARNING)
        if argv[1:] and not takes_words:
            end("Expected flags alone, as --NAME=VALUE. Received: "
                f"{' '.join(argv[1:])}. {_see_help()}")
        main(argv)

    app.run(quiet, flags_parser=_parse)


def required(**examples):
    """Makes flags of the calling program compulsory.

    Args:
        **examples: By flag, an example of its value.
    """
    for name, example in examples.items():
        flags.register_validator(
            name, lambda value: value is not None,
            f"Expected --{name}, such as --{name}={example}. Received: no --{name}")


def _parse(argv):
    with explained():
        # The flag of the config looks for what it overrides in the command line.
        argv = sys.argv[:] = _with_configs(argv)
    try:
        return flags.FLAGS(argv)
    except (flags.UnparsedFlagAccessError, flags.DuplicateFlagError):
        raise  # A fault of ours.
    except flags.Error as error:
        # What absl puts in front of the messages of `required`.
        message = re.sub(r"^flag --\w+=None: ", "", str(error), flags=re.M)
        end(f"{message.rstrip(' .?')}. {_see_help()}")
    except (AttributeError, KeyError, TypeError) as error:
        given = [arg for arg in argv if arg.startswith("--config.")]
        found = " ".join(str(error.args[0]).split())
        end("Expected --config.KEY=VALUE with a key of the config file and a value "
            f"of its type; found was {found}. Received: {' '.join(given)}")


def _with_configs(argv):
    """Arguments in which the config is a path that is there."""
    found = list(argv)
    for place, arg in enumerate(argv):
        name, equals, value = arg.partition("=")
        if name not in ("--config", "-config"):
            continue
        if equals:
            found[place] = f"{name}={find_config(value)}"
        elif place + 1 < len(argv):
            found[place + 1] = str(find_config(argv[place + 1]))
    return found


def _see_help():
    return f"`{sys.argv[0]} --help` lists the flags"


@contextlib.contextmanager
def explained():
    """Turns an error that explains itself into its words and exit code 1.

    Anything else is a fault of ours and keeps its traceback.
    """
    try:
        yield
    except (ValueError, OSError, FloatingPointError) as error:
        end(error, type(error))


def end(message, kind=ValueError):
    """Ends the program with a message and exit code 1."""
    print(f"{kind.__name__}: {message}", file=sys.stderr)
    sys.exit(1)


def usage(program):
    """What a program says of itself, and its flags."""
    _, _, described = flags.FLAGS.module_help(program).lstrip().partition("\n")
    return f"{program.__doc__.strip()}\n\nFlags:\n{described}".rstrip()


def first_line(path):
    """First line of what a file of Python says of itself, without running it."""
    text = ast.get_docstring(ast.parse(pathlib.Path(path).read_text()))
    return text.splitlines()[0]


def table(found):
    """Prints names, and figures or words beside them.

    Args:
        found: Dictionary of numbers or strings by name.
    """
    width = max(map(len, found))
    for name, value in sorted(found.items()):
        shown = value if isinstance(value, str) else f"{value:8.4f}"
        print(f"  {name:<{width}}  {shown}")
