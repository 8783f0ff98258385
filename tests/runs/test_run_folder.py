"""The folder of a run has one owner, and its files are read with care."""

import json
import shutil
import subprocess
import sys

import pytest

from bdlzoo import runs
from bdlzoo.core.file_error import FileError
from bdlzoo.runs.run_folder import RunFolder, read_json

HOLD = """
import fcntl, os, sys, time
handle = os.open(sys.argv[1], os.O_RDONLY)
fcntl.flock(handle, fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(300)
"""


def _config(**changes):
    config = runs.read_config("digits/mc_dropout.py", "smoke")
    config.update(changes)
    return config


def test_folder_of_another_process_is_refused_until_it_is_killed(run):
    before = {p: p.read_bytes() for p in run.workdir.rglob("*") if p.is_file()}
    holder = subprocess.Popen([sys.executable, "-c", HOLD, str(run.workdir)],
                              text=True, stdout=subprocess.PIPE)
    try:
        assert holder.stdout.readline() == "held\n"
        for work in (runs.Run.reopen(run.workdir).complete,
                     runs.Run.reopen(run.workdir).report):
            with pytest.raises(ValueError, match="no other process works.*locked"):
                work()
    finally:
        holder.kill()
        holder.communicate()
    assert before == {p: p.read_bytes() for p in run.workdir.rglob("*") if p.is_file()}
    runs.Run.reopen(run.workdir).complete()


def test_owner_may_enter_again_and_gives_the_folder_back(tmp_path):
    folder, other = RunFolder(tmp_path / "a"), RunFolder(tmp_path / "a")
    with folder.owned(lambda: None), folder.owned(lambda: None):
        with pytest.raises(ValueError, match="another process"):
            with other.owned(lambda: None):
                pass
    with pytest.raises(ZeroDivisionError), other.owned(lambda: None):
        1 / 0
    with folder.owned(lambda: None):
        pass


def test_folders_that_stay_empty_are_removed(tmp_path):
    with RunFolder(tmp_path / "a/b").owned(lambda: None):
        assert (tmp_path / "a/b").is_dir()
    assert not any(tmp_path.iterdir())
    with RunFolder(tmp_path / "a/b").owned(lambda: None):
        (tmp_path / "a/b/file").touch()
    assert (tmp_path / "a/b/file").exists()


def test_folder_is_checked_again_once_it_is_locked(tmp_path):
    """Another process may have begun a run between the first check and the lock."""
    run = runs.Run(_config(), tmp_path / "a")
    runs.Run(_config(seed=9), tmp_path / "a").write_config()
    with pytest.raises(ValueError, match="config.seed .9 there"):
        run.complete(verbose=0)


def test_what_a_killed_save_left_is_removed_at_the_next_start(run):
    for name in (".part-model.keras", "checkpoints/.part-epoch-00002.weights.h5"):
        (run.workdir / name).write_text("half")
    (run.workdir / "tmp1234").mkdir()
    runs.Run.reopen(run.workdir).complete()
    assert not [p for p in run.workdir.rglob("*") if "part" in p.name or
                p.name == "tmp1234"]


def test_run_that_was_killed_before_its_config_begins_again(tmp_path):
    (tmp_path / ".part-config.json").write_text("{")
    run = runs.Run(_config(), tmp_path)
    with run.owned():
        run.write_config()
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "config.json", "versions.json"]


def _copy(run, tmp_path):
    return shutil.copytree(run.workdir, tmp_path / "copy")


def test_changed_config_of_a_finished_run_is_refused_with_what_differs(run, tmp_path):
    folder = _copy(run, tmp_path)
    config = read_json(folder / "config.json")
    config["seed"], config["data"]["limit"] = 9, 32
    (folder / "config.json").write_text(json.dumps(config))
    again = runs.reopen(folder)
    for work in (again.check_finished, again.report, again.complete):
        with pytest.raises(FileError, match="it was changed: config.data.limit .64 "
                           "there, 32 here., config.seed .0 there, 9 here"):
            work()


def test_changed_config_does_not_continue_a_checkpoint(tmp_path):
    """Not even the same change in the file and on the command line."""
    run = runs.Run(_config(), tmp_path / "a")
    run.record()
    run.fit(verbose=0)
    config = read_json(tmp_path / "a/config.json")
    config["batch_size"] = 8
    (tmp_path / "a/config.json").write_text(json.dumps(config))
    with pytest.raises(FileError, match="config.batch_size .32 there, 8 here"):
        runs.Run(_config(batch_size=8), tmp_path / "a").complete(verbose=0)


HOSTILE = {
    "empty": "", "no json": "{", "binary": "\0\1", "list": "[1]", "null": "null",
    "number": "3", "deep": "[" * 100000, "no keys": "{}",
    "epochs": {"epochs": "three"}, "no epochs": {"epochs": None},
    "epochs of 0": {"epochs": 0}, "batch": {"batch_size": [32]}, "seed": {"seed": "a"},
    "data": {"data": 5}, "set": {"data": {"name": 7}}, "method": {"method": 2},
    "type": {"method": {"type": 3}}, "option": {"data": {"name": "digits", "o": 1}},
    "limit": {"data": {"name": "digits", "limit": "many"}},
    "validation": {"data": {"name": "digits", "validation": "half"}},
    "select": {"select": {"a": 1}}, "by set": {"by_set": 3},
    "grid": {"grid": 4, "select": "fold_0"}}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_configs_are_explained(name, run, tmp_path):
    """The seal of the model is removed: old runs have none."""
    wrong = HOSTILE[name]
    if isinstance(wrong, dict):
        wrong = json.dumps({**read_json(run.workdir / "config.json"), **wrong})
    (tmp_path / "config.json").write_text(wrong)
    with pytest.raises(ValueError, match="Expected.* Received: .*") as found:
        again = runs.reopen(tmp_path)
        again.data
    explained = name in ("select", "grid", "option", "validation")
    assert explained or isinstance(found.value, FileError), found.value


@pytest.mark.parametrize("name", ["metrics.json", "history.csv"])
def test_other_files_that_are_damaged_are_named(name, run, tmp_path):
    folder = _copy(run, tmp_path)
    (folder / name).write_bytes(b"\xff\xfe{")
    if name == "history.csv":
        (folder / "model.keras").unlink()
        for path in (folder / "checkpoints").iterdir():
            path.unlink()
    with pytest.raises(FileError, match=f"Received: .*{name}, with the error"):
        runs.Run.reopen(folder).complete(verbose=0)
