"""Quickstart on the bundled digits: train, evaluate, export, predict.

    ./tools/quickstart.sh
"""

import pathlib
import time

import tensorflow as tf
from absl import flags

from bdlzoo import runs
from bdlzoo.programs import console

_WORKDIR = flags.DEFINE_string("workdir", "runs/quickstart", "Folder of the run.")


def main(argv):
    del argv
    config = runs.read_config("digits/mc_dropout.py")
    with console.explained():
        run = runs.Run(config, _WORKDIR.value)
        print("1. MC dropout on 8 x 8 digits: a small network, dropout left on.")
        start = time.perf_counter()
        run.complete(verbose=2)
        print(f"   done in {time.perf_counter() - start:.0f} s: "
              f"{run.workdir / 'model.keras'}")
        print("2. Its scores, and how well its uncertainty finds other images:")
        metrics = run.report()
        shown = ("accuracy", "nll", "ece", "brier", "auroc_uniform",
                 "auroc_permuted")
        console.table({name: metrics[name] for name in shown})
        print("   auroc_*: entropy of other images against digits")
        print(f"   report: {run.workdir / 'report.html'}")
        print("3. The same model for TF Serving, without this package:")
        version = run.model.export(run.workdir / "served")
        print(f"   {version}")
    _ask(version, run.data["test"])
    print(_NEXT.format(served=pathlib.Path(run.workdir, "served")))


def _ask(version, test):
    """Predicts one digit with the SavedModel."""
    served = tf.saved_model.load(str(version)).signatures["serving_default"]
    answer = served(inputs=tf.constant(test.x[:1]))
    print(f"4. A digit that it was not trained on (true class: {test.y[0]}):")
    for row in test.x[0, ..., 0]:
        print("     " + "".join(" .:-=+*#%@"[int(9 * v)] * 2 for v in row))
    print(f"   answer {int(answer['label'][0])}, confidence "
          f"{float(answer['confidence'][0]):.3f}, mutual information "
          f"{float(answer['mutual_information'][0]):.3f} nats")


_NEXT = """
What to try next:
  bdlzoo train --config=mnist/mc_dropout.py --workdir=runs/mnist
  bdlzoo evaluate --workdir=runs/mnist
  bdlzoo serve --model_base_path={served}    # a page to drop digits on
  saved_model_cli show --dir {served}/1 --all
(with .venv/bin/ in front, and MNIST in TFDS_DATA_DIR or downloaded)"""


if __name__ == "__main__":
    console.run(main)
