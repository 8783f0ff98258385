"""Files that are whole or not there."""

import json

import pytest

from bdlzoo.core.whole_file import whole_file, write_json, write_text


def test_a_file_gets_its_name_once_it_is_written(tmp_path):
    with whole_file(tmp_path / "a") as part:
        part.write_text("new")
        assert not (tmp_path / "a").exists()
    assert [p.name for p in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_text() == "new"


def test_a_writer_that_fails_leaves_the_old_file(tmp_path):
    write_text(tmp_path / "a", "old")
    with pytest.raises(RuntimeError), whole_file(tmp_path / "a") as part:
        part.write_text("half")
        raise RuntimeError
    assert (tmp_path / "a").read_text() == "old"


def test_json_has_its_keys_in_order(tmp_path):
    write_json(tmp_path / "a.json", {"b": 1, "a": [2]})
    text = (tmp_path / "a.json").read_text()
    assert json.loads(text) == {"a": [2], "b": 1}
    assert text.index('"a"') < text.index('"b"') and text.endswith("\n")
