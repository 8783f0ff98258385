r"""Scores a trained run: a table, `metrics.json` and plots.

    python -m tools.evaluate --workdir=runs/digits
"""

from absl import flags

from bdlzoo import zoo
from tools import console

_WORKDIR = flags.DEFINE_string("workdir", None, "Folder of a finished run.")
flags.mark_flags_as_required(["workdir"])


def main(argv):
    del argv
    with console.explained():
        run = zoo.Run.reopen(_WORKDIR.value)
        run.check_finished()
        metrics = run.report()
    console.table(metrics)
    print(f"Plots: {run.workdir / 'plots'}")


if __name__ == "__main__":
    console.run(main)
