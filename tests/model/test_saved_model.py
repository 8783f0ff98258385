"""Exports count their versions and are whole or not there."""

import os
import pathlib
import signal
import subprocess
import sys
import threading

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.model import saved_model

ROOT = pathlib.Path(__file__).parents[2]
KILLED = """
import os, signal, sys
from bdlzoo.model import saved_model
from tests.model.test_saved_model import write
synced, sync = [], saved_model.sync
def killed(path):  # When half of the version is on the disk.
    sync(path)
    synced.append(path)
    if len(synced) == 2:
        os.kill(os.getpid(), signal.SIGKILL)
saved_model.sync = killed
write(sys.argv[1])
"""


def write(path, finish=None):
    """A version of the smallest model there is."""
    layer = keras.layers.Dense(1, kernel_initializer="ones")
    layer.build((None, 6))
    rows = tf.TensorSpec((None, 6), tf.float32, "inputs")
    return saved_model.write([layer], {"serving_default": (
        lambda inputs: {"sum": layer(inputs)}, [rows])}, path, finish, verbose=False)


def test_versions_count_up_and_older_ones_stay(tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "9").mkdir()
    assert [write(tmp_path).name for _ in range(2)] == ["10", "11"]
    assert saved_model.versions(tmp_path) == [9, 10, 11]
    assert (tmp_path / "notes").exists()
    assert saved_model.versions(tmp_path / "none") == []


def test_failed_export_leaves_nothing_behind(tmp_path, monkeypatch):
    write(tmp_path)
    monkeypatch.setattr("os.rename", lambda *_: 1 / 0)  # As if killed before it.
    with pytest.raises(ZeroDivisionError):
        write(tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["1"]


def test_everything_is_on_the_disk_before_the_version_is_seen(tmp_path, monkeypatch):
    events, rename, sync = [], os.rename, os.fsync
    monkeypatch.setattr("os.rename", lambda a, b: events.append("seen") or rename(a, b))
    monkeypatch.setattr("os.fsync", lambda h: events.append(
        os.path.basename(os.readlink(f"/proc/self/fd/{h}"))) or sync(h))

    def finish(folder):
        assert not (tmp_path / "1").exists() and (folder / "saved_model.pb").exists()
        (folder / "added").write_text("by the caller")

    version = write(tmp_path, finish)
    assert (version / "added").read_text() == "by the caller"
    before, after = events[:events.index("seen")], events[events.index("seen") + 1:]
    files = {p.name for p in version.rglob("*")}
    assert files <= set(before) and "variables.index" in files
    assert after == [tmp_path.name]


def test_leftovers_go_and_exporters_take_turns(tmp_path):
    (tmp_path / ".part-left/model").mkdir(parents=True)
    leave, entered, second = threading.Event(), threading.Event(), []

    def slow(folder):
        entered.set()
        leave.wait(60)

    threads = [threading.Thread(target=write, args=(tmp_path, slow)),
               threading.Thread(target=lambda: second.append(write(tmp_path).name))]
    threads[0].start()
    assert entered.wait(60)
    # The other one must not take the folder of the first for a leftover.
    threads[1].start()
    threads[1].join(0.5)
    assert threads[1].is_alive()
    leave.set()
    for thread in threads:
        thread.join(60)
    assert second == ["2"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["1", "2"]


@pytest.mark.slow
def test_exporter_killed_in_mid_write_leaves_the_last_version(tmp_path):
    write(tmp_path)
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], cwd=ROOT,
                          env={**os.environ, "PYTHONPATH": str(ROOT)}, timeout=240)
    assert done.returncode == -signal.SIGKILL
    assert saved_model.versions(tmp_path) == [1]
    assert any(p.name.startswith(".part-") for p in tmp_path.iterdir())
    for path in (tmp_path / "1", write(tmp_path)):
        answer = tf.saved_model.load(str(path)).signatures["serving_default"](
            inputs=tf.ones([2, 6]))
        np.testing.assert_array_equal(answer["sum"], [[6.0]] * 2)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["1", "2"]
