"""Files of models: whole, sealed, and explained where they are not."""

import json
import os
import stat
import zipfile

import keras
import numpy as np
import pytest

from bdlzoo.core import seal
from bdlzoo.core.file_error import FileError
from bdlzoo.methods import Deterministic
from bdlzoo.model import model_file
from bdlzoo.networks import MLP


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    model = Deterministic(MLP((2,), (4,), 2), seed=7)
    model.compile("adam")
    model.build((None, 2))
    path = tmp_path_factory.mktemp("saved") / "model.keras"
    model.save(path)
    return model, path


def test_keras_and_the_loader_read_the_same_weights(saved):
    model, path = saved
    for load in (keras.saving.load_model, model_file.load):
        for a, b in zip(load(path).weights, model.weights, strict=True):
            np.testing.assert_array_equal(a, b)
    assert [p.name for p in path.parent.iterdir()] == ["model.keras"]


def test_file_says_what_it_is(saved):
    facts = seal.facts_of(saved[1])
    assert facts["method"]["type"] == "Deterministic" and facts["seed"] == 7
    assert facts["optimizer"]["optimizer"]["type"] == "Adam"
    assert set(facts) >= {"network", "version", "config"}


def test_file_is_on_the_disk_before_it_has_its_name(saved, tmp_path, monkeypatch):
    events, replace, sync = [], os.replace, os.fsync
    monkeypatch.setattr(os, "replace", lambda a, b: events.append(
        os.path.basename(b)) or replace(a, b))
    monkeypatch.setattr(os, "fsync", lambda handle: events.append(
        "folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file") or sync(handle))
    saved[0].save(tmp_path / "a.keras")
    assert events[-3:] == ["file", "a.keras", "folder"]


def test_a_failed_save_leaves_the_file_before_it(saved, tmp_path, monkeypatch):
    model, _ = saved
    model.save(tmp_path / "a.keras")
    before = (tmp_path / "a.keras").read_bytes()
    monkeypatch.setattr(seal, "seal", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        model.save(tmp_path / "a.keras")
    assert [p.name for p in tmp_path.iterdir()] == ["a.keras"]
    assert (tmp_path / "a.keras").read_bytes() == before


def _zip(path, **members):
    with zipfile.ZipFile(path, "w") as file:
        for name, content in members.items():
            file.writestr(name.replace("__", "."), content)


def _hostile(path, whole):
    """Files that are no models, by name."""
    with zipfile.ZipFile(whole) as file:
        config, weights = file.read("config.json"), file.read("model.weights.h5")
    names = {}

    def add(name, write):
        names[name] = path / f"{name}.keras"
        write(names[name])

    add("empty", lambda p: p.write_bytes(b""))
    add("text", lambda p: p.write_text("not a model"))
    add("binary", lambda p: p.write_bytes(bytes(range(256)) * 9))
    add("cut", lambda p: p.write_bytes(whole.read_bytes()[:3000]))
    add("folder", lambda p: p.mkdir())
    add("empty_zip", lambda p: _zip(p))
    add("without_weights", lambda p: _zip(p, config__json=config))
    add("without_config", lambda p: _zip(p, model__weights__h5=weights))
    for name, text in (("list", "[1]"), ("number", "3"), ("null", "null"),
                       ("no_json", "{"), ("no_class", "{}"),
                       ("other_class", json.dumps({"class_name": "Thief", "config": {},
                                                   "module": "os"})),
                       ("wrong_types", json.dumps({"class_name": 3, "config": [],
                                                   "module": {}})),
                       ("layer", json.dumps(keras.saving.serialize_keras_object(
                           keras.layers.Dense(2)))),
                       ("deep", "[" * 100000)):
        add(name, lambda p, text=text: _zip(p, config__json=text, metadata__json="{}",
                                            model__weights__h5=weights))
    add("other_weights", lambda p: _zip(p, config__json=config, metadata__json="{}",
                                        model__weights__h5=b"none"))
    names["nothing"] = path / "nothing.keras"
    return names


def test_hostile_files_are_refused_in_one_form(saved, tmp_path):
    names = _hostile(tmp_path, saved[1])
    assert len(names) >= 18
    for name, path in names.items():
        with pytest.raises(FileError) as found:
            model_file.load(path)
        text = str(found.value)
        assert text.startswith("Expected the file of a Keras model. Take"), (name, text)
        assert f"Received: {path}, with the error: " in text, (name, text)
        assert not text.endswith("error: "), name


def test_a_file_of_something_that_is_no_model_is_refused(saved, monkeypatch):
    monkeypatch.setattr(keras.saving, "load_model", lambda path: keras.layers.Dense(2))
    with pytest.raises(FileError, match="it has a Dense, which is no model"):
        model_file.load(saved[1])


def test_weights_that_are_no_numbers_are_refused(saved, tmp_path):
    model = keras.saving.load_model(saved[1])
    kernel = model.network.trainable_variables[0]
    kernel.assign(np.full(kernel.shape, np.nan))
    keras.Model.save(model, tmp_path / "plain.keras")
    with pytest.raises(FileError, match="values that are NaN"):
        model_file.load(tmp_path / "plain.keras")


def test_file_without_a_seal_is_told_of_and_loaded(saved, tmp_path, caplog):
    keras.saving.save_model(saved[0], tmp_path / "plain.keras")
    assert seal.facts_of(tmp_path / "plain.keras") is None
    model_file.load(tmp_path / "plain.keras")
    assert "plain.keras has no checksum" in caplog.text
    caplog.clear()
    MLP((2,), (4,), 2).save(tmp_path / "keras.keras")  # No model of the zoo.
    model_file.load(tmp_path / "keras.keras")
    assert not caplog.text
