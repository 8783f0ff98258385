r"""Trains the model of a config; writes the model, its scores and the config.

    bdlzoo train --config=digits/mc_dropout.py \
        --workdir=runs/digits --config.epochs=5

The same command continues a run that was stopped. With --strategy it trains on several
devices. For `multi_worker`, start it in every process of the cluster in TF_CONFIG, or
start it once with --supervise: this starts as many processes as --workers says on this
machine, and restarts all of them if one fails.
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
from bdlzoo.core.end_with_parent import end_with_parent
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
    "supervise", False, "Start workers, and restart all of them if one fails.")
_WORKERS = flags.DEFINE_integer(
    "workers", 2, "Number of processes of --supervise.", lower_bound=1, upper_bound=64)
_MAX_RESTARTS = flags.DEFINE_integer(
    "max_restarts", 3, "Largest number of restarts of --supervise.", lower_bound=0)
console.required(config="digits/mc_dropout.py", workdir="runs/digits")


def main(argv):
    del argv
    end_with_parent()
    with console.explained():
        if _SUPERVISE.value:
            _supervise()
            return
        # A run that was killed and continued must give exactly the same results. XLA
        # is deterministic without this, and Keras does not use XLA with it.
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
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # Stops the workers too.
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
