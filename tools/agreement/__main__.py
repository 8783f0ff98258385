r"""Writes `docs/agreement.md`: figures of the zoo beside those of other libraries.

    python -m tools.agreement

The other libraries run in an environment below `.venv-peers`, made once. Inputs are
random with fixed seeds, and go from one process to the other as a file of arrays.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from absl import app, flags

from tools.agreement import inputs, ours

ROOT = pathlib.Path(__file__).parents[2]
_FOLDER = pathlib.Path(__file__).parent
_OUTPUT = flags.DEFINE_string(
    "output", str(ROOT / "docs" / "agreement.md"), "File of the page.",
    allow_override=True)  # Other tools have it too; tests import several of them.
_PYTHON = flags.DEFINE_string(
    "python", None, "Interpreter of an environment that has the other libraries; by "
    "default one is made below `.venv-peers`.")


def main(argv):
    del argv
    given = inputs.made()
    python = _PYTHON.value or environment()
    with tempfile.TemporaryDirectory() as folder:
        source, target = (pathlib.Path(folder) / name
                          for name in ("inputs.npz", "theirs.npz"))
        np.savez(source, **given)
        subprocess.run([python, str(_FOLDER / "theirs.py"), str(source), str(target)],
                       check=True, env={**os.environ, "CUDA_VISIBLE_DEVICES": "",
                                        "OMP_NUM_THREADS": "1"})
        with np.load(target) as file:
            theirs = {name: file[name] for name in file.files}
    pathlib.Path(_OUTPUT.value).write_text(page(
        ours.figures(given), theirs, np.mean(~given["sure"])))
    print(f"Written: {_OUTPUT.value}")


def environment():
    """Path of the interpreter of the other libraries; makes their environment."""
    folder = ROOT / ".venv-peers" / "agreement"
    python, stamp = folder / "bin" / "python", folder / "installed"
    wanted = (_FOLDER / "peers.txt").read_text()
    if not stamp.exists() or stamp.read_text() != wanted:
        print(f"Setting up {folder} (once, a few minutes) ...", flush=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)],
                       check=True)
        for line in wanted.splitlines():
            # One that does not install is named on the page.
            subprocess.run([str(python), "-m", "pip", "install", "--quiet",
                            "--disable-pip-version-check", *line.split()], check=False)
        stamp.write_text(wanted)
    return str(python)


def page(found, theirs, unsure):
    """The text of the page.

    Args:
        found: Dictionary, name to figure of the zoo.
        theirs: Dictionary, `library|version|name` to their figure, and
            `library|absent` to the reason of one that did not run.
        unsure: Float, share of pixels that FGSM is not compared at.
    """
    lines = ["# Agreement with other libraries", "",
             "Written by `python -m tools.agreement`. Each line compares a figure of "
             "the zoo with that of an independent library, for the same random inputs "
             "of fixed seeds. Arrays are shown by their mean; the difference is the "
             "largest over all entries. Most figures of the zoo are in float32.", "",
             "| Figure | Library | Ours | Theirs | Largest difference |",
             "|---|---|---|---|---|"]
    rows, absent = [], []
    for name, value in theirs.items():
        library, *rest = name.split("|")
        if rest == ["absent"]:
            absent.append(f"- {library}: {value}")
            continue
        version, figure = rest
        cells = (figure, f"{library} {version}", _shown(found[figure]), _shown(value),
                 _gap(found[figure], value))
        rows.append((figure, f"| {' | '.join(cells)} |"))
    order = list(found)
    lines += [row for _, row in sorted(rows, key=lambda row: order.index(row[0]))]
    lines += ["", "Accuracy under attacks is compared with AutoAttack of torchattacks: "
              "lower is stronger. For larger logits their figure is that of the same "
              "network without the factor, which has the same classes. Attacks start "
              "at random points, so that an image more or less is no fault (0.0025 "
              "each). FGSM goes by the sign of a slope: pixels whose slope in float64 "
              f"is at most {inputs.ROUNDING:g}, where float32 decides it by rounding, "
              f"are not compared ({unsure:.2%} of them).",
              "", "## Libraries that did not run", "", *(absent or ["None."])]
    return "\n".join(lines) + "\n"


def _shown(value):
    return f"{np.mean(np.asarray(value, 'float64')):.6g}"


def _gap(first, second):
    first, second = (np.asarray(value, "float64") for value in (first, second))
    both = np.isnan(first) & np.isnan(second)
    gap = np.max(np.where(both, 0.0, np.abs(first - second)))
    return f"{gap:.1e}" if gap else "0"


if __name__ == "__main__":
    app.run(main)
