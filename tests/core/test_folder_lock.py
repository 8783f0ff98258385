"""One process at a time has the lock, with and without `fcntl`."""

import errno
import pathlib
import runpy
import subprocess
import sys
import threading

import pytest

from bdlzoo.core import folder_lock

# The module without the package, which takes seconds to import.
HOLD = """
import runpy, sys, time
with runpy.run_path(sys.argv[2])["folder_lock"](sys.argv[1]):
    print("held", flush=True)
    time.sleep(300)
"""
ROOT = pathlib.Path(__file__).parents[2]


@pytest.fixture(params=["fcntl", "file"])
def lock(request, monkeypatch):
    if request.param == "file":
        monkeypatch.setattr(folder_lock, "fcntl", None)
    return folder_lock.folder_lock


def test_threads_take_turns(lock, tmp_path):
    inside, done = [], []

    def work(place):
        with lock(tmp_path):
            inside.append(place)
            threading.Event().wait(0.1)
            done.append((place, len(inside)))
            inside.remove(place)

    threads = [threading.Thread(target=work, args=(place,)) for place in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(done) == [(place, 1) for place in range(4)]
    assert not list(tmp_path.iterdir())


def test_an_error_gives_the_lock_back(lock, tmp_path):
    with pytest.raises(ZeroDivisionError), lock(tmp_path):
        1 / 0
    with lock(tmp_path):
        pass


def test_a_lock_that_is_held_is_an_error_for_who_does_not_wait(lock, tmp_path):
    with lock(tmp_path):
        with pytest.raises(BlockingIOError), lock(tmp_path, wait=False):
            pytest.fail("two have the lock")
    with lock(tmp_path, wait=False):
        pass


@pytest.mark.parametrize("code", [errno.ENOLCK, errno.EACCES])
def test_file_systems_without_locks_are_told_of(code, tmp_path, monkeypatch, caplog):
    def fails(*args):
        raise OSError(code, "no lock")

    monkeypatch.setattr(folder_lock.fcntl, "flock", fails)
    if code == errno.EACCES:
        with pytest.raises(OSError, match="no lock"), folder_lock.folder_lock(tmp_path):
            pass
        return
    with folder_lock.folder_lock(tmp_path, wait=False):
        assert "without locks" in caplog.text


def test_lock_ends_with_a_process_that_is_killed(tmp_path):
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path), folder_lock.__file__], text=True,
        stdout=subprocess.PIPE)
    taken = threading.Event()

    def take():
        with folder_lock.folder_lock(tmp_path):
            taken.set()

    thread = threading.Thread(target=take, daemon=True)
    try:
        assert holder.stdout.readline() == "held\n"
        thread.start()
        assert not taken.wait(0.3)
    finally:
        holder.kill()
        holder.communicate()
    assert taken.wait(30)


def test_a_file_that_stays_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(folder_lock, "fcntl", None)
    monkeypatch.setattr(folder_lock, "_PATIENCE", 0.1)
    (tmp_path / ".lock").touch()
    with pytest.raises(TimeoutError, match="delete the file. Received: .*lock"):
        with folder_lock.folder_lock(tmp_path):
            pass


def test_module_is_imported_without_fcntl(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "fcntl", None)  # As on Windows: its import fails.
    found = runpy.run_path(folder_lock.__file__)
    assert found["fcntl"] is None
    with found["folder_lock"](tmp_path):
        pass


def test_no_other_file_of_the_package_wants_fcntl():
    asking = [path.name for path in ROOT.glob("bdlzoo/**/*.py")
              if "import fcntl" in path.read_text()]
    assert asking == ["folder_lock.py"]
