"""A trace of some training steps, for the profiler of TensorBoard."""

import importlib.util

import keras
import tensorflow as tf
from absl import logging

PLUGINS = ("xprof", "tensorboard_plugin_profile")


class StepTrace(keras.callbacks.Callback):
    """Traces some calls of the train function, once what is slow at first is over.

    Args:
        folder: Folder of the trace, for `tensorboard --logdir`.
        first: Integer, calls to let pass: they trace and compile.
        count: Integer, calls to trace. A call holds several steps where
            `steps_per_execution` says so.
    """

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
        if self._calls <= self.first:  # The model is trained all the same.
            logging.warning(
                "No trace: the first %d calls of the train function are left out, and "
                "there were %d. Train for more epochs, or on smaller batches.",
                self.first, self._calls)

    def _start(self):
        try:
            tf.profiler.experimental.start(str(self.folder))
        except tf.errors.OpError as error:
            raise ValueError(
                "Expected a profiler that is free: end the trace that runs in this "
                f"process. Received: {error.message}") from error
        self._running = True

    def _stop(self):
        if self._running:
            self._running = False
            tf.profiler.experimental.stop()


def check():
    """Raises where nothing is installed that could read the trace."""
    if not any(map(importlib.util.find_spec, PLUGINS)):
        raise ValueError(
            "Expected the profiler of TensorBoard for --profile: install "
            f"`bdlzoo[profile]`. Received: none of the packages {', '.join(PLUGINS)}")
