"""Checkpoints: the last two, whole, with their history."""

import errno
import types

import h5py
import keras
import numpy as np
import pytest

from bdlzoo.core import seal
from bdlzoo.core.file_error import FileError
from bdlzoo.methods import Deterministic, MCDropout
from bdlzoo.model import checkpoint, fingerprint
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


@pytest.fixture(scope="module")
def fitted_once(tmp_path_factory):
    """Folder with the checkpoint of one epoch, which is not to be written to."""
    folder = tmp_path_factory.mktemp("fitted")
    _fitted(folder, 1)
    return folder


def _changed(**changes):
    """A compiled model that differs from that of `_fitted` in one thing."""
    made = {"kind": Deterministic, "network": MLP((2,), (4,), 2), "seed": 0,
            "optimizer": "adam", **changes}
    model = made.pop("kind")(made.pop("network"), seed=made.pop("seed"),
                             **made.pop("settings", {}))
    model.compile(made["optimizer"])
    return model


@pytest.mark.parametrize("changes, words", [
    ({"optimizer": "sgd"}, r"optimizer.*'Adam' there, 'SGD' here"),
    ({"optimizer": keras.optimizers.Adam(1e-3, beta_1=0.5)},
     r"optimizer.optimizer.beta_1 \(0.9 there, 0.5 here\)"),
    ({"optimizer": keras.optimizers.Adam(0.5)},
     r"optimizer.optimizer.learning_rate \(0.001\d* there, 0.5 here\)"),
    ({"seed": 1}, r"seed \(0 there, 1 here\)"),
    ({"kind": MCDropout}, "method.type .'Deterministic' there, 'MCDropout' here"),
    ({"settings": {"prior_scale": 2.0}}, "method.prior_scale .None there, 2.0 here"),
    ({"network": MLP((2,), (4,), 2, activation="tanh")},
     "network.*activation .'relu' there, 'tanh' here")])
def test_checkpoint_of_another_model_is_refused_with_what_differs(
        changes, words, fitted_once):
    model, before = _changed(**changes), sorted(fitted_once.iterdir())
    with pytest.raises(FileError, match=f"it is of another model: .*{words}"):
        model.fit(X, Y, epochs=2, verbose=0, checkpoint_dir=fitted_once)
    assert sorted(fitted_once.iterdir()) == before
    assert model.optimizer.iterations == 0


def test_model_without_a_seed_takes_that_of_its_checkpoint(tmp_path):
    first, second = _changed(seed=None), _changed(seed=None)
    assert first.seed != second.seed
    for model, epochs in ((first, 1), (second, 2)):
        model.fit(X, Y, epochs=epochs, verbose=0, checkpoint_dir=tmp_path)
    assert first.seed == second.seed


def test_another_version_alone_is_told_and_not_refused(tmp_path, monkeypatch, caplog):
    with monkeypatch.context() as patch:
        patch.setattr(fingerprint, "version", lambda: "0.0.1")
        _fitted(tmp_path, 1)
    _fitted(tmp_path, 2)
    assert "was written by bdlzoo 0.0.1; this is bdlzoo" in caplog.text


def test_rate_that_a_callback_changed_is_no_other_optimiser(tmp_path):
    def fit(model, epochs):
        model.fit(X, Y, epochs=epochs, verbose=0, checkpoint_dir=tmp_path, callbacks=[
            keras.callbacks.LearningRateScheduler(lambda epoch, rate: rate / 2)])

    model = _changed()
    for epochs in (1, 2):
        fit(model, epochs)
    fit(_changed(), 3)
    assert len(checkpoint.restore(_built(), tmp_path)) == 3


def _built():
    model = _changed()
    model.build((None, 2))
    model.build_optimizers()
    return model


@pytest.mark.parametrize("place", ["layers", "optimizer"])
def test_weights_that_are_no_numbers_are_refused(place, tmp_path):
    _fitted(tmp_path, 1)
    [path] = checkpoint.finished(tmp_path)
    facts = seal.facts_of(path)
    path.write_bytes(path.read_bytes().partition(b'{"config": ')[0])
    with h5py.File(path, "r+") as file:
        broken = []
        file.visititems(lambda name, item: broken.append(item) if (
            isinstance(item, h5py.Dataset) and item.ndim == 2 and place in name
        ) else None)
        broken[0][0, 0] = np.nan
    seal.seal(path, facts)
    with pytest.raises(FileError, match="Delete the file.*values that are NaN"):
        checkpoint.restore(_built(), tmp_path)


def test_file_of_an_earlier_version_is_loaded_and_told(tmp_path, caplog):
    model = _fitted(tmp_path, 1)
    [path] = checkpoint.finished(tmp_path)
    with h5py.File(path, "r+") as file:
        del file.attrs["bdlzoo_sealed"]
    path.write_bytes(path.read_bytes().partition(b'{"config": ')[0])
    other = _built()
    checkpoint.restore(other, tmp_path)
    np.testing.assert_array_equal(other.weights[1], model.weights[1])
    assert "has no checksum" in caplog.text


def test_file_without_its_end_is_refused(tmp_path):
    _fitted(tmp_path, 1)
    [path] = checkpoint.finished(tmp_path)
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(FileError, match="its end is missing"):
        checkpoint.restore(_built(), tmp_path)


def test_full_disk_is_explained_and_the_last_checkpoint_stays(tmp_path, monkeypatch):
    model = _fitted(tmp_path, 1)

    def full(path, **kwargs):
        raise OSError(errno.ENOSPC, "Can't write data (No space left on device)")

    monkeypatch.setattr(model, "save_weights", full)
    with pytest.raises(OSError, match="Expected room on the disk.*start the same"):
        model.fit(X, Y, epochs=3, verbose=0, checkpoint_dir=tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["epoch-00001.weights.h5"]


def test_room_is_looked_for_before_hdf5_writes(tmp_path, monkeypatch):
    """On a full disk it prints tracebacks and may end the process."""
    model = _fitted(tmp_path, 1)
    [path] = checkpoint.finished(tmp_path)
    free = types.SimpleNamespace(free=path.stat().st_size - 1)
    monkeypatch.setattr("shutil.disk_usage", lambda folder: free)
    monkeypatch.setattr(model, "save_weights", lambda *_, **__: pytest.fail("written"))
    with pytest.raises(OSError, match="Expected room on the disk"):
        model.fit(X, Y, epochs=3, verbose=0, checkpoint_dir=tmp_path)
