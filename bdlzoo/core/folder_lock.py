"""A lock on a folder: one process at a time works in it.

Where the system has `fcntl`, the folder itself is locked, and the lock ends with its
process, however that ends. Elsewhere a file in the folder is the lock: Windows deletes
it with its process, too.
"""

import contextlib
import errno
import os
import pathlib
import time

from absl import logging

try:
    import fcntl
except ImportError:  # Windows.
    fcntl = None

_FILE = ".lock"
_POLL = 0.05  # Seconds between looks.
_PATIENCE = 600.0  # Seconds to wait for the file of another process.


_WITHOUT_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)


@contextlib.contextmanager
def folder_lock(folder, wait=True):
    """Holds the lock of a folder, once no other process does.

    Args:
        folder: Path of a folder that is there.
        wait: Bool, whether to wait for the other process; if not, its lock is an
            error.

    Raises:
        BlockingIOError: If another process has the lock, and `wait` is `False`.
    """
    if fcntl is None:
        with _lock_file(pathlib.Path(folder, _FILE), wait):
            yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        _flock(handle, folder, wait)
        yield
    finally:
        os.close(handle)


def _flock(handle, folder, wait):
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError as error:
        if error.errno not in _WITHOUT_LOCKS:
            raise
        logging.warning("%s is on a file system without locks: two processes that "
                        "work in it are not noticed.", folder)


@contextlib.contextmanager
def _lock_file(path, wait):
    try:
        handle = _create(path, time.monotonic() + (_PATIENCE if wait else 0.0))
    except TimeoutError as error:
        if wait:
            raise
        raise BlockingIOError(str(error)) from error
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
