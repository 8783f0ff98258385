"""Checkpoints after each epoch, from which a run continues exactly.

A checkpoint is one file. It is written under another name, and renamed when it is on
the disk, so that a killed program leaves the last complete one. Noise and the order of
data are functions of seed and step, so a checkpoint holds only weights, optimiser and
epoch, and the state of an `Experience` if the data come from one. A seal at its end has
its checksum and the fingerprint of the model: damaged files and those of other models
are refused.
"""

import json
import pathlib
import re

import h5py
import keras
import numpy as np
from absl import logging

from bdlzoo.core import seal
from bdlzoo.core.file_error import reading
from bdlzoo.core.full_disk import check_room
from bdlzoo.core.whole_file import whole_file
from bdlzoo.model import fingerprint

_NAME = "epoch-{:05d}.weights.h5"
_HISTORY, _WORLD = "bdlzoo_history", "bdlzoo_experience"
_SEALED = "bdlzoo_sealed"  # The file has a seal, unless its end is missing.
_ADVICE = ("Delete the file to continue from the epoch before it (or from the start), "
           "or choose another folder.")
_PER_VARIABLE, _OVERHEAD = 2000, 2**16  # Bytes in HDF5 beside the values.


class EpochCheckpoint(keras.callbacks.Callback):
    """Writes a checkpoint after every epoch and keeps the last two.

    Args:
        folder: Folder of the checkpoints.
        history: List of the logs of earlier epochs.
        writes: Bool, whether this process writes. Of several workers, which have the
            same weights, only one does.
        experience: `bdlzoo.data.Experience` whose state is saved; `None` for none.
        facts: Fingerprint of the model at the start of training; `None` takes that at
            the end of each epoch.
    """

    def __init__(self, folder, history=(), writes=True, experience=None, facts=None):
        super().__init__()
        self.folder = pathlib.Path(folder)
        self.history = list(history)
        self.writes = writes
        self.experience = experience
        self.facts = facts

    def on_epoch_end(self, epoch, logs=None):
        logs = {name: float(np.mean(value)) for name, value in logs.items()}
        self.history.append(logs)
        if self.writes:
            self._write(epoch)

    def _write(self, epoch):
        self.folder.mkdir(parents=True, exist_ok=True)
        check_room(self.folder, self._size())
        with whole_file(self.folder / _NAME.format(epoch + 1)) as part:
            self.model.save_weights(part, overwrite=True)
            with h5py.File(part, "a") as file:
                file.attrs[_HISTORY] = json.dumps(self.history)
                file.attrs[_SEALED] = True
                if self.experience is not None:
                    world = file.create_group(_WORLD)
                    for name, array in self.experience.state().items():
                        world[name] = array
            seal.seal(part, {**(self.facts or fingerprint.fingerprint(self.model)),
                             "rates": fingerprint.rates(self.model)})
        for old in finished(self.folder)[:-2]:
            old.unlink()


    def _size(self):
        """Bytes of a checkpoint, rather too many than too few."""
        model = self.model
        variables = [*model.variables, *(v for name in model.optimizer_names
                                         for v in getattr(model, name).variables)]
        world = {} if self.experience is None else self.experience.state()
        arrays = sum(np.prod(v.shape, dtype="int64") * 8 for v in variables) + sum(
            np.asarray(array).nbytes for array in world.values())
        return int(arrays + _PER_VARIABLE * len(variables)
                   + len(json.dumps(self.history)) + _OVERHEAD)


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

    A model whose seed was drawn, because it was given none, takes that of the file.

    Args:
        model: `StochasticModel`.
        folder: Folder of the checkpoints.
        experience: `bdlzoo.data.Experience` whose state is restored, or `None`.

    Returns:
        List of the logs of the finished epochs; empty without a checkpoint.

    Raises:
        ValueError: If the file is damaged, has weights that are no numbers, or is that
            of another model.
    """
    paths = finished(folder)
    if not paths:
        return []
    with reading(paths[-1], "a whole checkpoint of this model", _ADVICE):
        facts = seal.facts_of(paths[-1])
        with h5py.File(paths[-1], "r") as file:
            if facts is None and _SEALED in file.attrs:
                raise ValueError("its end is missing")
            history = json.loads(file.attrs[_HISTORY])
            world = _arrays(file[_WORLD]) if experience is not None else {}
            _check_numbers(file)
        if facts is None:
            logging.warning("%s has no checksum: an earlier version wrote it.",
                            paths[-1])
        else:
            _compare(facts, model, paths[-1])
        model.load_weights(paths[-1])
    if experience is not None:
        experience.restore(world)
    return history


def resume(model, folder, experience=None, writes=True):
    """Loads the last checkpoint; returns the callback that writes the next ones.

    Args:
        model: Built and compiled `StochasticModel`.
        folder: Folder of the checkpoints.
        experience: `bdlzoo.data.Experience` whose state is restored, or `None`.
        writes: Bool, whether this process writes.
    """
    facts = fingerprint.fingerprint(model)
    history = restore(model, folder, experience)
    paths = finished(folder)
    there = seal.facts_of(paths[-1]) if paths else None
    if there is not None:  # With the rates of the first start.
        facts = {**facts, "optimizer": there["optimizer"]}
    return EpochCheckpoint(folder, history, writes, experience,
                           {**facts, "seed": model.seed})


def _compare(facts, model, path):
    """Raises where a file is of another model; takes its seed if none was given."""
    if model.seed_was_drawn and model.seed != facts["seed"]:
        model.seed = facts["seed"]
        model.train_function = model.test_function = model.predict_function = None
    here, now = fingerprint.fingerprint(model), facts.pop("rates", {})
    for name, rate in now.items():  # A callback may have changed it since the start.
        if here["optimizer"].get(name, {}).get("learning_rate") == rate:
            facts["optimizer"][name]["learning_rate"] = rate
    fingerprint.check(facts, here, path)


def _check_numbers(file):
    """Raises where an array of a file has values that are no numbers."""

    def check(name, item):
        if isinstance(item, h5py.Dataset) and item.dtype.kind == "f" and (
                np.isnan(item[()]).any()):
            raise ValueError(f"{name} has values that are NaN")

    file.visititems(check)
