"""Checkpoints: the last two, whole, with their history."""

import numpy as np

from bdlzoo.methods import Deterministic
from bdlzoo.model import checkpoint
from bdlzoo.networks import MLP

X, Y = np.ones((8, 2), "float32"), np.zeros(8, "int32")


def _fitted(folder, epochs):
    model = Deterministic(MLP((2,), (4,), 2), seed=0)
    model.compile("adam")
    model.fit(X, Y, epochs=epochs, verbose=0, checkpoint_dir=folder)
    return model


def test_last_two_are_kept_and_no_part_is_left(tmp_path):
    _fitted(tmp_path, 4)
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "epoch-00003.weights.h5", "epoch-00004.weights.h5"]


def test_history_of_all_epochs_comes_along(tmp_path):
    model = _fitted(tmp_path, 3)
    history = checkpoint.restore(model, tmp_path)
    assert [logs["loss"] for logs in history] == model.history.history["loss"]


def test_no_folder_means_no_history(tmp_path):
    assert checkpoint.finished(tmp_path / "none") == []
    assert checkpoint.restore(None, tmp_path / "none") == []


def test_other_workers_write_nothing(tmp_path):
    silent = checkpoint.EpochCheckpoint(tmp_path / "none", writes=False)
    silent.on_epoch_end(0, {"loss": 1.0})
    assert silent.history == [{"loss": 1.0}] and not any(tmp_path.iterdir())
