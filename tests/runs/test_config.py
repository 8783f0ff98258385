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
