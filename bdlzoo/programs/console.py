"""Parts of all programs: flags, tables and short error messages."""

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
    """Starts a program; wrong flags give a short message.

    Libraries print only warnings, unless `--verbosity` asks for more.

    Args:
        main: Function of the list of words of the command line that are not flags.
        takes_words: Bool, whether there may be such words after the name of the
            program.
    """

    def quiet(argv):
        if not flags.FLAGS["verbosity"].present:
            absl.logging.set_verbosity(absl.logging.WARNING)
            logging.getLogger("tensorflow").setLevel(logging.WARNING)
        if argv[1:] and not takes_words:
            end("Expected only flags, as --NAME=VALUE. Received: "
                f"{' '.join(argv[1:])}. {_see_help()}")
        main(argv)

    app.run(quiet, flags_parser=_parse)


def required(**examples):
    """Makes flags of the calling program compulsory.

    Args:
        **examples: An example of a value, by the name of the flag.
    """
    for name, example in examples.items():
        flags.register_validator(
            name, lambda value: value is not None,
            f"Expected --{name}, such as --{name}={example}. Received: no --{name}")


def _parse(argv):
    with explained():
        # The flag of the config reads its overrides from `sys.argv`.
        argv = sys.argv[:] = _with_configs(argv)
    try:
        return flags.FLAGS(argv)
    except (flags.UnparsedFlagAccessError, flags.DuplicateFlagError):
        raise  # An error of this package.
    except flags.Error as error:
        # The text that absl adds to the messages of `required`.
        message = re.sub(r"^flag --\w+=None: ", "", str(error), flags=re.M)
        end(f"{message.rstrip(' .?')}. {_see_help()}")
    except (AttributeError, KeyError, TypeError) as error:
        given = [arg for arg in argv if arg.startswith("--config.")]
        found = " ".join(str(error.args[0]).split())
        end("Expected --config.KEY=VALUE with a key of the config file and a value "
            f"of its type; the error is: {found}. Received: {' '.join(given)}")


def _with_configs(argv):
    """Arguments in which the config is the path of an existing file."""
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
    """Prints the message of an expected error, and exits with code 1.

    Other errors are errors of this package and keep their traceback.
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
    """Docstring of a program, and its flags."""
    _, _, described = flags.FLAGS.module_help(program).lstrip().partition("\n")
    return f"{program.__doc__.strip()}\n\nFlags:\n{described}".rstrip()


def first_line(path):
    """First line of the docstring of a Python file, which is not run."""
    text = ast.get_docstring(ast.parse(pathlib.Path(path).read_text()))
    return text.splitlines()[0]


def table(found):
    """Prints names with their numbers or texts.

    Args:
        found: Dictionary of numbers or strings by name.
    """
    width = max(map(len, found))
    for name, value in sorted(found.items()):
        shown = value if isinstance(value, str) else f"{value:8.4f}"
        print(f"  {name:<{width}}  {shown}")
