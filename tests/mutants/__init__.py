"""One-line faults that the tests must see, by room.

A fault is a file of the room, the right text, the wrong one, and what to ask pytest
for. `mutants()` has them all; `tools/test.sh --mutants` plants them.
"""

import importlib
import pathlib

ROOT = pathlib.Path(__file__).parents[2]
FOLDERS = {"reproduce": "tools/reproduce"}  # The others are rooms of the package.


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
