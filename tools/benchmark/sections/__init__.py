"""Sections of the benchmarks, one a file: `SECTION` of each is found by its name."""

import importlib
import pathlib

NAMES = tuple(sorted(path.stem for path in
                     pathlib.Path(__file__).parent.glob("[!_]*.py")))


def load():
    """Reads the folder; returns a dictionary, name of the file to `Section`."""
    return {name: importlib.import_module(f"{__name__}.{name}").SECTION
            for name in NAMES}
