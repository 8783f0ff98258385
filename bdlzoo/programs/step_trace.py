"""Callback that traces training steps for the profiler of TensorBoard."""

import importlib.util

import keras
import tensorflow as tf
from absl import logging

PLUGINS = ("xprof", "tensorboard_plugin_profile")


class StepTrace(keras.callbacks.Callback):
    """Traces some calls of the train function, after the first ones.

    Args:
        folder: Folder of the trace, for `tensorboard --logdir`.
        first: Integer, calls that are not traced, because they trace and compile the
            graph.
        count: Integer, calls to trace. A call has `steps_per_execution` steps.
    """

    every_call = True  # It counts calls, not steps.

    def __init__(self, folder, first=2, count=5):
        super().__init__()
        self.folder = folder
        self.first = first
        self.count = count
        self._calls = 0
        self._running = False

    def on_train_batch_begin(self, batch, logs=None):
        if self._calls == self.first:
            self._start()

    def on_train_batch_end(self, batch, logs=None):
        self._calls += 1
        if self._calls == self.first + self.count:
            self._stop()

    def on_train_end(self, logs=None):
        self._stop()
        if self._calls <= self.first:  # A warning, because the model is trained.
            logging.warning(
                "No trace was written: the first %d calls of the train function are "
                "left out, and there were %d. Train for more epochs, or on smaller "
                "batches.",
                self.first, self._calls)

    def _start(self):
        try:
            tf.profiler.experimental.start(str(self.folder))
        except tf.errors.OpError as error:
            raise ValueError(
                "Expected a profiler that is not in use: end the other trace of this "
                f"process. Received: {error.message}") from error
        self._running = True

    def _stop(self):
        if self._running:
            self._running = False
            tf.profiler.experimental.stop()


def check():
    """Raises an error if no package is installed that can read the trace."""
    if not any(map(importlib.util.find_spec, PLUGINS)):
        raise ValueError(
            "Expected the profiler of TensorBoard for --profile: install "
            f"`bdlzoo[profile]`. Received: none of the packages {', '.join(PLUGINS)}")
