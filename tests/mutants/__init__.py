"""One-line faults that the tests must see, by room.

A fault is a file of the room, the right text, the wrong one, and what to ask pytest
for. `mutants()` has them all; `tools/test.sh --mutants` plants them.
"""

import importlib
import os
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
# The others are rooms of the package.
FOLDERS = {"reproduce": "tools/reproduce", "website": "tools/website"}
LOG = "mutant.log"


def mutants():
    """All faults, with paths from the root of the project."""
    found = []
    for path in sorted(pathlib.Path(__file__).parent.glob("[!_]*.py")):
        folder = FOLDERS.get(path.stem, f"bdlzoo/{path.stem}")
        room = importlib.import_module(f"tests.mutants.{path.stem}")
        found += [(f"{folder}/{name}", *rest) for name, *rest in room.MUTANTS]
    return found


def lost(chosen):
    """Faults that do not find their line exactly once."""
    return [fault[:2] for fault in chosen
            if (ROOT / fault[0]).read_text().count(fault[1]) != 1]


def run_tests(copy, arguments):
    """Ends this process, as pytest ends on a copy of the project.

    It is here as the process of a fork cannot import it from `__main__`.
    """
    log = os.open(os.path.join(copy, LOG), os.O_WRONLY | os.O_CREAT)
    for stream in (1, 2):
        os.dup2(log, stream)
    os.chdir(copy)
    os.environ["PYTHONPATH"] = copy  # Of the processes that tests start.
    for name in [name for name in sys.modules if name.split(".")[0] == "tests"]:
        del sys.modules[name]  # These are the tests of the project, not of the copy.
    sys.path.insert(0, copy)
    sys.exit(pytest.main(["-qx", *arguments]))
