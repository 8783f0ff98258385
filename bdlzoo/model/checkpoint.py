"""Checkpoints after each epoch, from which a run continues exactly.

A checkpoint is one file. It is written under another name, and renamed when it is on
the disk, so that a killed program leaves the last complete one. Noise and the order of
data are functions of seed and step, so a checkpoint holds only weights, optimiser and
epoch, and the state of an `Experience` if the data come from one.
"""

import json
import pathlib
import re

import h5py
import keras
import numpy as np

from bdlzoo.core.whole_file import whole_file

_NAME = "epoch-{:05d}.weights.h5"
_HISTORY, _WORLD = "bdlzoo_history", "bdlzoo_experience"


class EpochCheckpoint(keras.callbacks.Callback):
    """Writes a checkpoint after every epoch and keeps the last two.

    Args:
        folder: Folder of the checkpoints.
        history: List of the logs of earlier epochs.
        writes: Bool, whether this process writes. Of several workers, which have the
            same weights, only one does.
        experience: `bdlzoo.data.Experience` whose state is saved; `None` for none.
    """

    def __init__(self, folder, history=(), writes=True, experience=None):
        super().__init__()
        self.folder = pathlib.Path(folder)
        self.history = list(history)
        self.writes = writes
        self.experience = experience

    def on_epoch_end(self, epoch, logs=None):
        logs = {name: float(np.mean(value)) for name, value in logs.items()}
        self.history.append(logs)
        if self.writes:
            self._write(epoch)

    def _write(self, epoch):
        self.folder.mkdir(parents=True, exist_ok=True)
        with whole_file(self.folder / _NAME.format(epoch + 1)) as part:
            self.model.save_weights(part, overwrite=True)
            with h5py.File(part, "a") as file:
                file.attrs[_HISTORY] = json.dumps(self.history)
                if self.experience is not None:
                    world = file.create_group(_WORLD)
                    for name, array in self.experience.state().items():
                        world[name] = array
        for old in finished(self.folder)[:-2]:
            old.unlink()


def finished(folder):
    """Paths of the checkpoints in a folder, the oldest first."""
    folder = pathlib.Path(folder)
    if not folder.is_dir():
        return []
    return sorted(p for p in folder.iterdir()
                  if re.fullmatch(r"epoch-\d{5}\.weights\.h5", p.name))


def _arrays(group):
    """Arrays of a group by name, those below names with a slash too."""
    found = {}
    group.visititems(lambda name, item: found.update(
        {name: item[()]} if isinstance(item, h5py.Dataset) else {}))
    return found


def restore(model, folder, experience=None):
    """Loads the last checkpoint into a built and compiled model.

    Args:
        model: `StochasticModel`.
        folder: Folder of the checkpoints.
        experience: `bdlzoo.data.Experience` whose state is restored, or `None`.

    Returns:
        List of the logs of the finished epochs; empty without a checkpoint.

    Raises:
        ValueError: If the file is damaged or is that of another model.
    """
    paths = finished(folder)
    if not paths:
        return []
    try:
        with h5py.File(paths[-1], "r") as file:
            history = json.loads(file.attrs[_HISTORY])
            world = _arrays(file[_WORLD]) if experience is not None else {}
        model.load_weights(paths[-1])
    except (OSError, KeyError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise ValueError(
            "Expected a whole checkpoint of this model. Delete the file to continue "
            "from the epoch before it (or from the start), or choose another "
            f"folder. Received: {paths[-1]}, with the error: {reason}") from error
    if experience is not None:
        experience.restore(world)
    return history
