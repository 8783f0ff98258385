r"""Exports a trained run as the next version of a SavedModel.

    python -m tools.export --workdir=runs/digits --output=served/digits
"""

from absl import flags

from bdlzoo import cross_validation
from tools import console

_WORKDIR = flags.DEFINE_string("workdir", None, "Folder of a finished run.")
_OUTPUT = flags.DEFINE_string("output", None, "Folder of the served model.")
flags.mark_flags_as_required(["workdir", "output"])


def main(argv):
    del argv
    with console.explained():
        run = cross_validation.reopen(_WORKDIR.value)
        run.check_finished()
        version = run.model.export(_OUTPUT.value)
    size = sum(p.stat().st_size for p in version.rglob("*") if p.is_file())
    print(f"Exported {version} ({size / 2**20:.1f} MiB)")


if __name__ == "__main__":
    console.run(main)
