"""Checkpoints at epoch ends, from which a run goes on bit for bit.

A checkpoint is one file, written beside its name and renamed once it is on the
disk: a kill leaves the last whole one. Noise and data order are functions of
seed and step, so weights, optimiser and epoch are all there is to keep.
"""

import json
import os
import pathlib
import re

import h5py
import keras
import numpy as np

_NAME = "epoch-{:05d}.weights.h5"


class EpochCheckpoint(keras.callbacks.Callback):
    """Writes a checkpoint after every epoch and keeps the last two.

    Args:
        folder: Where checkpoints go.
        history: List of the logs of earlier epochs.
        writes: Bool; of several workers, which have the same weights, one does.
    """

    def __init__(self, folder, history=(), writes=True):
        super().__init__()
        self.folder = pathlib.Path(folder)
        self.history = list(history)
        self.writes = writes

    def on_epoch_end(self, epoch, logs=None):
        logs = {name: float(np.mean(value)) for name, value in logs.items()}
        if not np.isfinite(logs["loss"]):
            raise FloatingPointError(
                f"The loss of epoch {epoch + 1} is {logs['loss']}: lower the "
                "learning rate, or look for extreme inputs. The last checkpoint "
                f"is kept in {self.folder}.")
        self.history.append(logs)
        if self.writes:
            self._write(epoch)

    def _write(self, epoch):
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / _NAME.format(epoch + 1)
        part = path.with_name(f"part-{path.name}")
        self.model.save_weights(part, overwrite=True)
        with h5py.File(part, "a") as file:
            file.attrs["bdlzoo_history"] = json.dumps(self.history)
        with open(part, "rb") as file:
            os.fsync(file.fileno())
        os.replace(part, path)
        for old in finished(self.folder)[:-2]:
            old.unlink()


def finished(folder):
    """Whole checkpoints in a folder, oldest first."""
    folder = pathlib.Path(folder)
    if not folder.is_dir():
        return []
    return sorted(p for p in folder.iterdir()
                  if re.fullmatch(r"epoch-\d{5}\.weights\.h5", p.name))


def restore(model, folder):
    """Loads the last checkpoint into a built and compiled model.

    Returns:
        List of the logs of the finished epochs; empty where there are none.

    Raises:
        ValueError: Where the file is damaged or of another model.
    """
    paths = finished(folder)
    if not paths:
        return []
    try:
        with h5py.File(paths[-1], "r") as file:
            history = json.loads(file.attrs["bdlzoo_history"])
        model.load_weights(paths[-1])
    except (OSError, KeyError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise ValueError(
            "Expected a whole checkpoint of this model. Delete the file to go on "
            "from the epoch before it (or from the start), or choose another "
            f"folder. Received: {paths[-1]}, which says: {reason}") from error
    return history
