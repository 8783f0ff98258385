r"""Trains one config and leaves its model, its scores and what it was.

    python -m tools.train --config=configs/digits/mc_dropout.py \
        --workdir=runs/digits --config.epochs=5

The same command again goes on where the last one stopped.
"""

import importlib.util

import keras
import tensorflow as tf
from absl import flags
from ml_collections import config_flags

from bdlzoo import cross_validation
from tools import console

_CONFIG = config_flags.DEFINE_config_file("config", None, "Config file.")
_WORKDIR = flags.DEFINE_string("workdir", None, "Folder of the run.")
_TENSORBOARD = flags.DEFINE_bool(
    "tensorboard", False, "Write event files to WORKDIR/tensorboard.")
flags.mark_flags_as_required(["config", "workdir"])


def main(argv):
    del argv
    # A run that was killed must end as one that was not, to the last bit.
    tf.config.experimental.enable_op_determinism()
    with console.explained():
        run = cross_validation.open_run(_CONFIG.value, _WORKDIR.value)
        metrics = run.complete(callbacks=_callbacks(run))
    print(f"Run in {run.workdir}")
    console.table({name: value for name, value in metrics.items()
                   if isinstance(value, float)})
    if run.learnt_rates():
        print("Learnt dropout rates")
        console.table(run.learnt_rates())
    for (first, last), name in run.learnt_structure().items():
        print(f"Most probable from node {first} to {last}: {name}")


def _callbacks(run):
    if not _TENSORBOARD.value:
        return ()
    if importlib.util.find_spec("tensorboard") is None:
        raise ValueError("Expected TensorBoard for --tensorboard: install "
                         "`bdlzoo[tensorboard]`. Received: no such package")
    return (keras.callbacks.TensorBoard(run.workdir / "tensorboard"),)


if __name__ == "__main__":
    console.run(main)
