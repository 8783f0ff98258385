"""Lists the parts of the zoo: names, with a line on each.

    bdlzoo list
    bdlzoo list methods

The kinds are methods, networks, likelihoods, attacks, estimators, worlds, layers,
metrics, configs, data and presets. The listed data sets need no download: they are
bundled, or are in the folders `BDLZOO_DATA_DIR` and `TFDS_DATA_DIR`. Other sets of TFDS
are downloaded when they are first loaded.
"""

import difflib
import inspect

import bdlzoo
from bdlzoo.data import folder, hourly
from bdlzoo.programs import console
from bdlzoo.runs.config import CONFIGS, config_names

_ROOMS = ("methods", "networks", "likelihoods", "attacks", "estimators", "worlds",
          "layers", "metrics")
KINDS = (*_ROOMS, "configs", "data", "presets")
_OTHER_DATA = (
    "  Others: any name of TFDS, read from TFDS_DATA_DIR or downloaded;\n"
    f"  uci/NAME, {', '.join((*folder.NAMES, *hourly.NAMES))} in BDLZOO_DATA_DIR.")


def main(argv):
    with console.explained():
        kinds = argv[1:] or KINDS
        for kind in kinds:
            _check(kind)
    for kind in kinds:
        if len(kinds) > 1:
            print(f"\n{kind}")
        _print(entries(kind))
        if kind == "data":
            print(_OTHER_DATA)


def entries(kind):
    """Names of a kind, with a line on each.

    Args:
        kind: One of `KINDS`.

    Returns:
        Dictionary from a name to its line.
    """
    if kind == "configs":
        return {name: console.first_line(CONFIGS / name) for name in config_names()}
    if kind == "data":
        return bdlzoo.data.available()
    if kind == "presets":
        return bdlzoo.presets.available()
    room = getattr(bdlzoo, kind)
    return {name: _first_sentence(getattr(room, name)) for name in room.__all__}


def _check(kind):
    if kind not in KINDS:
        close = difflib.get_close_matches(kind, KINDS, n=1)
        hint = f" Did you mean {close[0]}?" if close else ""
        raise ValueError(f"Expected one of {', '.join(KINDS)}.{hint} Received: {kind}")


def _first_sentence(thing):
    paragraph = inspect.getdoc(thing).partition("\n\n")[0].replace("\n", " ")
    return paragraph.partition(". ")[0].rstrip(".") + "."


def _print(lines):
    width = max(map(len, lines))
    for name in sorted(lines, key=str.lower):
        print(f"  {name:<{width}}  {lines[name]}")
