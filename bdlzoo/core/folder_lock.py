"""A lock on a folder: one process at a time works in it.

Where the system has `fcntl`, the folder itself is locked, and the lock ends with its
process, however that ends. Elsewhere a file in the folder is the lock: Windows deletes
it with its process, too.
"""

import contextlib
import os
import pathlib
import time

try:
    import fcntl
except ImportError:  # Windows.
    fcntl = None

_FILE = ".lock"
_POLL = 0.05  # Seconds between looks.
_PATIENCE = 600.0  # Seconds to wait for the file of another process.


@contextlib.contextmanager
def folder_lock(folder):
    """Waits until no other process holds the lock of a folder, then holds it.

    Args:
        folder: Path of a folder that is there.
    """
    if fcntl is None:
        with _lock_file(pathlib.Path(folder, _FILE)):
            yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


@contextlib.contextmanager
def _lock_file(path):
    handle = _create(path, time.monotonic() + _PATIENCE)
    try:
        yield
    finally:
        os.close(handle)
        path.unlink(missing_ok=True)


def _create(path, deadline):
    """Creates the file, once there is none; returns its handle."""
    mode = os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_TEMPORARY", 0)
    while True:
        try:
            return os.open(path, mode)
        except (FileExistsError, PermissionError) as error:
            # Windows denies access to a file that is about to be deleted.
            if time.monotonic() > deadline:
                raise TimeoutError(
                    "Expected the other process that works in this folder to end. If "
                    f"there is none, delete the file. Received: {path}") from error
        time.sleep(_POLL)
