"""The command `bdlzoo`: a verb, and the flags of this verb.

    bdlzoo VERB --flags
    bdlzoo VERB --help

`python -m bdlzoo.programs` is the same command.
"""

import difflib
import importlib
import pathlib
import sys

import bdlzoo
from bdlzoo.programs import console

VERBS = ("choose", "train", "evaluate", "acquire", "play", "export", "serve", "list")


def main():
    """Runs the verb that the command line names."""
    verb, *flags = sys.argv[1:] or ["--help"]
    if verb in ("--help", "-h", "help"):
        print(_usage())
    elif verb == "--version":
        print(f"bdlzoo {bdlzoo.__version__}")
    elif verb in VERBS:
        start(verb, flags)
    else:
        close = difflib.get_close_matches(verb, VERBS, n=1)
        hint = f" Did you mean {close[0]}?" if close else ""
        console.end(f"Expected a verb: {', '.join(VERBS)}.{hint} Received: {verb}. "
                    "`bdlzoo --help` describes them")


def start(verb, flags=None):
    """Runs one verb.

    Args:
        verb: One of `VERBS`.
        flags: List of strings; `None` takes those of the command line.
    """
    # The flags of a verb are defined when its module is imported.
    module = importlib.import_module(f"bdlzoo.programs.{verb}")
    # Flags such as --config.epochs are read from `sys.argv`.
    sys.argv = [f"bdlzoo {verb}", *(sys.argv[1:] if flags is None else flags)]
    if {"--help", "-h"}.intersection(sys.argv):
        print(console.usage(module))
    else:
        console.run(module.main, takes_words=verb == "list")


def _usage():
    folder = pathlib.Path(__file__).parent
    width = max(map(len, VERBS))
    lines = [f"  {verb:<{width}}  {console.first_line(folder / f'{verb}.py')}"
             for verb in VERBS]
    return "\n".join([
        bdlzoo.__doc__.splitlines()[0], "", "  bdlzoo VERB --flags", "", *lines, "",
        "`bdlzoo VERB --help` lists the flags of a verb."])
