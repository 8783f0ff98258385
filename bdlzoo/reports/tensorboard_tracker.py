"""Writes scalars and figures for TensorBoard."""

import importlib.util
import io
import json

import tensorflow as tf


class TensorBoardTracker:
    """Writes event files, for `tensorboard --logdir FOLDER`.

    Args:
        folder: Folder of the run.

    Example:

        tracker = bdlzoo.reports.TensorBoardTracker("logs/a")
        report = bdlzoo.reports.Report(x_val, y_val, to=tracker)
    """

    def __init__(self, folder):
        if importlib.util.find_spec("tensorboard") is None:
            raise ImportError("Expected the package tensorboard: run `pip install "
                              "bdlzoo[tensorboard]`. Received: no such package")
        self.folder = str(folder)

    def begin(self, facts):
        """Opens the files; `facts` is a dictionary of settings."""
        self._writer = tf.summary.create_file_writer(self.folder)
        with self._writer.as_default():
            tf.summary.text("settings", f"```\n{json.dumps(facts, indent=2)}\n```", 0)

    def scalars(self, numbers, epoch):
        """Writes a dictionary of numbers by name."""
        with self._writer.as_default():
            for name, value in numbers.items():
                tf.summary.scalar(name, value, epoch)

    def figure(self, name, figure, epoch):
        """Writes a `matplotlib.figure.Figure` as an image."""
        buffer = io.BytesIO()
        figure.savefig(buffer, format="png")
        image = tf.io.decode_png(buffer.getvalue(), channels=3)
        with self._writer.as_default():
            tf.summary.image(name, image[None], epoch)

    def end(self):
        """Closes the files."""
        self._writer.close()
