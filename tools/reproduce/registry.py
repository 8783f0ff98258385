"""All tables: the folder is the registry.

An experiment has its table beside it, as `TABLE`, or several as `TABLES`. A table
whose rows are configs alone is a file of its own.
"""

import functools
import importlib
import pathlib

from tools.reproduce.table import SUBJECTS

FOLDER = pathlib.Path(__file__).parent


@functools.cache
def tables():
    """Tables by name, in the order of their subjects."""
    found = [table for path in sorted(FOLDER.glob("[!_]*.py"))
             for table in _tables_of(path)]
    found.sort(key=lambda table: SUBJECTS.index(table.subject))
    return {table.name: table for table in found}


def _tables_of(path):
    # Files without a table are not imported; this one is among them.
    if not any(line.startswith(("TABLE =", "TABLES ="))
               for line in path.read_text().splitlines()):
        return ()
    module = importlib.import_module(f"tools.reproduce.{path.stem}")
    return getattr(module, "TABLES", None) or (module.TABLE,)
