"""Files that are whole or not there."""

import errno
import json
import os
import stat

import pytest

from bdlzoo.core.whole_file import remove_parts, whole_file, write_json, write_text


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


def test_file_and_name_are_on_the_disk_in_this_order(tmp_path, monkeypatch):
    """A name that reaches the disk before its content is an empty file."""
    events, replace, sync = [], os.replace, os.fsync
    monkeypatch.setattr(os, "replace", lambda a, b: events.append("name") or replace(
        a, b))
    monkeypatch.setattr(os, "fsync", lambda handle: events.append(
        "folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file") or sync(handle))
    write_text(tmp_path / "a", "new")
    assert events == ["file", "name", "folder"]


def test_full_disk_leaves_the_old_file_and_no_part(tmp_path, monkeypatch):
    write_text(tmp_path / "a", "old")

    def full(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="Expected room on the disk"):
        write_text(tmp_path / "a", "new")
    assert [p.name for p in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_text() == "old"


def test_what_killed_writers_left_is_removed_and_nothing_else(tmp_path):
    (tmp_path / ".part-a").write_text("half")
    (tmp_path / ".part-b").mkdir()
    (tmp_path / ".part-b/c").write_text("half")
    (tmp_path / "tmpkeras1").mkdir()
    (tmp_path / "tmpkeras1/model.weights.h5").write_text("half")
    (tmp_path / "tmpmine").mkdir()
    (tmp_path / "tmpmine/thesis").write_text("years of work")
    write_text(tmp_path / "z", "whole")
    assert len(remove_parts(tmp_path)) == 3
    assert sorted(p.name for p in tmp_path.iterdir()) == ["tmpmine", "z"]
    assert remove_parts(tmp_path / "none") == []
