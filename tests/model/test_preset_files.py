"""Presets are saved and loaded as they were, and refused where they are not whole."""

import json
import sys
import types

import keras
import numpy as np
import pytest

import bdlzoo
from bdlzoo.core.file_error import FileError
from bdlzoo.methods import MCDropout, MeanFieldVI
from bdlzoo.model import preset_files

X = np.random.default_rng(0).normal(size=(24, 3)).astype("float32")


@pytest.fixture(scope="module")
def trained():
    network = keras.Sequential([keras.Input((3,)), keras.layers.Dropout(0.5),
                                keras.layers.Dense(2)])
    model = MCDropout(network, num_samples=4, seed=3)
    model.compile("adam")
    model.fit(X, (X[:, 0] > 0).astype("int32"), epochs=1, verbose=0)
    model.calibrate(X, (X[:, 1] > 0).astype("int32"))
    return model


@pytest.fixture
def folder(trained, tmp_path):
    trained.save_to_preset(tmp_path / "mine", {"title": "Mine", "licence": "MIT"})
    return tmp_path / "mine"


def test_preset_predicts_as_the_model_and_has_no_optimiser(trained, folder):
    loaded = bdlzoo.from_preset(folder)
    np.testing.assert_array_equal(trained.predict_uncertainty(X).mean,
                                  loaded.predict_uncertainty(X).mean)
    assert loaded.num_data == 24 and not loaded.optimizer.built
    assert loaded.evaluate(X, np.zeros(24, "int32"), verbose=0) is not None
    assert type(MCDropout.from_preset(folder)) is MCDropout
    full = folder / "full.keras"
    trained.save(full)
    assert (folder / "model.keras").stat().st_size < full.stat().st_size


def test_card_says_what_the_model_is(trained, folder):
    card = preset_files.card_of(folder)
    assert card["title"] == "Mine" and card["method"] == "MCDropout"
    assert card["weights"] == trained.count_params()
    assert card["bytes"] == (folder / "model.keras").stat().st_size
    assert "| Licence | MIT |" in (folder / "README.md").read_text()


def test_a_loaded_preset_can_go_on_training(folder):
    model = bdlzoo.from_preset(folder)
    model.compile("adam")
    before = model.network.get_weights()[0]
    model.fit(X, (X[:, 0] > 0).astype("int32"), epochs=1, verbose=0)
    assert not np.array_equal(before, model.network.get_weights()[0])


def test_another_class_is_named(folder):
    with pytest.raises(ValueError, match="of a MeanFieldVI(.|\n)*a MCDropout"):
        MeanFieldVI.from_preset(folder)


def test_changed_files_are_refused(folder):
    model = folder / "model.keras"
    model.write_bytes(model.read_bytes() + b" ")
    with pytest.raises(FileError, match="checksum is not that of the card"):
        bdlzoo.from_preset(folder)
    model.unlink()
    with pytest.raises(FileError, match="model.keras"):
        bdlzoo.from_preset(folder)
    card = folder / "card.json"
    card.write_text(json.dumps({"title": "Mine"}))
    with pytest.raises(FileError, match="no `sha256`"):
        bdlzoo.from_preset(folder)
    card.unlink()
    with pytest.raises(FileError, match="has no card.json"):
        bdlzoo.from_preset(folder)


def test_unknown_names_get_the_nearest(tmp_path, trained, monkeypatch):
    monkeypatch.setattr(preset_files, "OWN", tmp_path)
    trained.save_to_preset(tmp_path / "digits" / "mc_dropout", {"title": "Dropout"})
    assert preset_files.available() == {"digits/mc_dropout": "Dropout"}
    assert isinstance(bdlzoo.from_preset("digits/mc_dropout"), MCDropout)
    with pytest.raises(ValueError, match="Did you mean digits/mc_dropout"):
        bdlzoo.from_preset("digit/mc_dropout")


@pytest.mark.parametrize("scheme, package, function", [
    ("hf://", "huggingface_hub", "snapshot_download"),
    ("kaggle://", "kagglehub", "model_download")])
def test_addresses_are_fetched_by_their_packages(scheme, package, function, folder,
                                                 monkeypatch):
    monkeypatch.setitem(sys.modules, package, types.SimpleNamespace(
        **{function: lambda address: {"user/name": folder}[address]}))
    assert isinstance(bdlzoo.from_preset(f"{scheme}user/name"), MCDropout)
    monkeypatch.setitem(sys.modules, package, None)  # Importing it fails.
    with pytest.raises(ImportError, match=f"package {package}"):
        bdlzoo.from_preset(f"{scheme}user/name")
