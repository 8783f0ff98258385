"""Config files, read by path or by name."""

import pytest

from bdlzoo import runs


def test_a_name_is_below_the_configs_of_the_zoo(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # From any folder.
    assert runs.read_config("digits/mc_dropout.py").method.type == "MCDropout"
    small = runs.read_config("digits/mc_dropout.py", "smoke")
    assert small.data.limit == 64


def test_a_path_of_ones_own_is_read(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text("def get_config():\n    return {'epochs': 7}\n")
    assert runs.read_config(path)["epochs"] == 7


def test_all_configs_are_found():
    assert len(list(runs.CONFIGS.glob("*/*.py"))) > 80
    with pytest.raises(FileNotFoundError):
        runs.read_config("digits/nothing.py")


@pytest.mark.parametrize("name", ["digits/sgld.py", "configs/digits/sgld.py"])
def test_a_config_is_found_from_any_folder(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert runs.find_config(name) == str(runs.CONFIGS / "digits/sgld.py")
    assert runs.find_config(f"{name}:smoke") == f"{runs.CONFIGS}/digits/sgld.py:smoke"


def test_a_file_of_ones_own_goes_before_that_of_the_zoo(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "digits").mkdir()
    (tmp_path / "digits/sgld.py").touch()
    assert runs.find_config("digits/sgld.py:mine") == "digits/sgld.py:mine"
    assert runs.find_config(str(tmp_path / "digits/sgld.py")).startswith(str(tmp_path))


@pytest.mark.parametrize("name, words", [
    ("digits/sgdl.py", "did you mean .*digits/sgld.py.* Received: config=digits/sgdl"),
    ("qqqq", "`bdlzoo list configs` lists all. Received: config=qqqq")])
def test_an_unknown_name_gets_the_nearest_ones(name, words):
    with pytest.raises(FileNotFoundError, match=words):
        runs.find_config(name)


@pytest.mark.parametrize("name", [
    "digits/sgld.py:smok", "breast_cancer/deterministic.py:smoke"])
def test_a_variant_must_be_known(name):
    with pytest.raises(ValueError, match=f"such as smoke, or none. Received: .*{name}"):
        runs.find_config(name)


def test_smoke_variants_are_known():
    known = [name for name in runs.config_names()
             if '"smoke"' in (runs.CONFIGS / name).read_text()]
    assert len(known) > 50
    for name in known:
        assert runs.find_config(f"{name}:smoke").endswith(":smoke")


def test_names_are_those_that_can_be_trained():
    names = runs.config_names()
    assert "digits/mc_dropout.py" in names and names == sorted(names)
    assert not [name for name in names if name.startswith("base/")]
