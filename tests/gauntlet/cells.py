"""Runs cells in processes of their own, and judges them.

    ok         all that `doors` and `checks` ask for, and the same after the file
               and from the SavedModel
    refused    the error that is written beside the network
    lacks      the network has not what the door needs, and a warning says so
    bad        anything else

A process that dies takes only the cell it was at with it.
"""

import json
import pathlib
import re
import subprocess
import sys
import zipfile

import numpy as np

from tests.gauntlet import checks
from tests.gauntlet.networks import NETWORKS
from tests.gauntlet.steps import MADE

ROOT = pathlib.Path(__file__).parents[2]
LIMIT = 600  # Seconds that a process may take for the cells of one call.


def judged(cells, folder, limit=LIMIT):
    """Verdicts of cells.

    Args:
        cells: List of pairs, the name of a network and of a door.
        folder: Path of a folder for the files.
        limit: Float, seconds after which a process is ended.

    Returns:
        Dictionary, cell to verdict: a dictionary with `status`, `text` and
        `seconds` of one core.
    """
    folders = {cell: pathlib.Path(folder, ".".join(cell)) for cell in cells}
    for path in folders.values():
        path.mkdir(parents=True)
    made = _done("make", folders.values(), limit)
    # A save that fails leaves a file without content.
    _done("load", [path for path in made if zipfile.is_zipfile(path / MADE)], limit)
    _done("serve", [path for path in made if (path / "served" / "1").exists()], limit)
    return {cell: verdict(cell, path) for cell, path in folders.items()}


def _done(step, folders, limit):
    """Folders in which a step ended; a process that dies is started again behind."""
    folders = left = list(folders)
    while left:
        try:
            ended = subprocess.run(
                [sys.executable, "-m", "tests.gauntlet", step, *map(str, left)],
                cwd=ROOT, capture_output=True, text=True, timeout=limit)
            said = f"exit code {ended.returncode}: {ended.stderr.strip()[-300:]}"
        except subprocess.TimeoutExpired:
            said = f"no end within {limit} seconds"
        left = [path for path in left if not (path / f"{step}.json").exists()]
        if left:
            broken = left.pop(0)
            (broken / f"{step}.json").write_text(json.dumps({"seconds": 0.0, "error": {
                "kind": "Crash", "message": said, "place": ""}}))
    return folders


def verdict(cell, folder):
    """Judges a cell by the files in its folder."""
    net, door = NETWORKS[cell[0]], cell[1]
    steps = {step: json.loads((folder / f"{step}.json").read_text())
             for step in ("make", "load", "serve")
             if (folder / f"{step}.json").exists()}
    found = {"seconds": round(sum(step["seconds"] for step in steps.values()), 2)}
    made = steps["make"]
    facts = made.get("facts", {})
    errors = {"model": made.get("error"), "save": facts.pop("save", None),
              "load": steps.get("load", {}).get("error"),
              "export": facts.pop("export", None),
              "serve": steps.get("serve", {}).get("error")}
    notes = [facts.pop("note")] if "note" in facts else []
    refusal = net.refused.get(door)
    if refusal is not None:
        error = errors[refusal.step]
        if error is not None and re.search(refusal.message, error["message"]):
            errors[refusal.step] = None
            if refusal.step == "model":
                return {**found, "status": "refused", "text": refusal.reason}
            notes.append(f"no `.keras` file: {refusal.reason}")
    for step, error in errors.items():
        if error is not None:
            return {**found, "status": "bad", "text": _line(step, error)}
    if refusal is not None and not notes:
        return {**found, "status": "bad", "text":
                f"{refusal.step}: no error that holds {refusal.message!r}"}
    for name, where in (("loaded", "after .keras in a fresh process"),
                        ("answered", "from the SavedModel")):
        if not (folder / f"{name}.npz").exists():
            continue  # Its error was expected.
        with np.load(folder / f"{name}.npz") as there, np.load(
                folder / "wanted.npz") as here:
            try:
                for part in ("mean", "draws"):
                    checks.close(there[part], here[part], f"{part} {where}",
                                 net.tolerance)
            except AssertionError as error:
                return {**found, "status": "bad", "text": f"{name}: {error}"}
    status = "lacks" if "lacks" in facts else "ok"
    notes += [facts.pop("lacks")] if "lacks" in facts else []
    return {**found, **facts, "status": status, "text": "; ".join(notes)}


def _line(step, error):
    message = " ".join(error["message"].split())
    if len(message) > 240:
        message = f"{message[:120]} ... {message[-120:]}"
    return f"{step}: {error['kind']}: {message} [{error['place']}]"
