r"""Trains one config and leaves its model, its scores and what it was.

    bdlzoo train --config=digits/mc_dropout.py \
        --workdir=runs/digits --config.epochs=5

The same command again goes on where the last one stopped. With --strategy it
trains on several devices: with `multi_worker`, start it in every process of the
cluster that TF_CONFIG lists, or once with --supervise, which starts --workers of
them here and all anew when one dies.
"""

import importlib.util
import signal
import sys

import keras
import tensorflow as tf
from absl import flags
from ml_collections import config_flags

from bdlzoo import runs
from bdlzoo.core import strategies
from bdlzoo.programs import console, step_trace, supervisor

_CONFIG = config_flags.DEFINE_config_file("config", None, "Config file.")
_WORKDIR = flags.DEFINE_string("workdir", None, "Folder of the run.")
_TENSORBOARD = flags.DEFINE_bool(
    "tensorboard", False, "Write event files to WORKDIR/tensorboard.")
_PROFILE = flags.DEFINE_bool(
    "profile", False, "Write a trace of some steps to WORKDIR/profile.")
_STRATEGY = flags.DEFINE_enum(
    "strategy", "none", strategies.NAMES, "Devices to train on.")
_TPU = flags.DEFINE_string("tpu", "local", "Name of the TPU of --strategy=tpu.")
_SUPERVISE = flags.DEFINE_bool(
    "supervise", False, "Start workers, and all of them anew when one dies.")
_WORKERS = flags.DEFINE_integer(
    "workers", 2, "Processes of --supervise.", lower_bound=1, upper_bound=64)
_MAX_RESTARTS = flags.DEFINE_integer(
    "max_restarts", 3, "Restarts of --supervise.", lower_bound=0)
console.required(config="digits/mc_dropout.py", workdir="runs/digits")


def main(argv):
    del argv
    with console.explained():
        if _SUPERVISE.value:
            _supervise()
            return
        # A run that was killed must end as one that was not, to the last bit. XLA sees
        # to that by itself, and Keras leaves it out where this is asked for.
        if _CONFIG.value.get("jit_compile") is not True:
            tf.config.experimental.enable_op_determinism()
        strategy = strategies.make(_STRATEGY.value, _TPU.value)
        run = runs.open_run(_CONFIG.value, _WORKDIR.value, strategy)
        metrics = run.complete(callbacks=_callbacks(run))
    if not run.is_chief:
        return
    print(f"Run in {run.workdir}")
    console.table({name: value for name, value in metrics.items()
                   if isinstance(value, float)})
    for headline, found in run.findings().items():
        print(headline)
        console.table(found)


def _supervise():
    if _STRATEGY.value != "multi_worker":
        raise ValueError("Expected --strategy=multi_worker with --supervise. Received: "
                         f"--strategy={_STRATEGY.value}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # Workers end with it.
    supervisor.supervise(
        [sys.executable, "-m", "bdlzoo.programs", "train", *sys.argv[1:],
         "--nosupervise"], _WORKERS.value, _MAX_RESTARTS.value)


def _callbacks(run):
    callbacks = []
    if _PROFILE.value:
        step_trace.check()
        callbacks.append(step_trace.StepTrace(run.workdir / "profile"))
    if not _TENSORBOARD.value:
        return callbacks
    if importlib.util.find_spec("tensorboard") is None:
        raise ValueError("Expected TensorBoard for --tensorboard: install "
                         "`bdlzoo[tensorboard]`. Received: no such package")
    return [*callbacks, keras.callbacks.TensorBoard(run.workdir / "tensorboard")]
