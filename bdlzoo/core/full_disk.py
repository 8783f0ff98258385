"""Explains the errors of a disk that is full."""

import contextlib
import errno
import shutil

# Libraries wrap the error of the system, and keep only its words.
_WORDS = ("No space left on device", "Disk quota exceeded", "errno = 28", "errno=28")
_CODES = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))


@contextlib.contextmanager
def explained_full_disk(path):
    """Raises one explained `OSError` where a disk has no room left.

    Args:
        path: Path of the file or folder that is written.
    """
    try:
        yield
    except Exception as error:
        if not is_full(error):
            raise
        raise OSError(
            errno.ENOSPC, "Expected room on the disk: free some, then start the same "
            "command again; nothing that was complete is lost. Received: a full disk "
            f"with {_free(path)} while writing", str(path)) from error


def check_room(folder, size):
    """Raises the same `OSError` before anything is written.

    HDF5 prints tracebacks, and may end the process, when a disk becomes full under it.

    Args:
        folder: Path of a folder that is there.
        size: Integer, bytes that will be written.
    """
    with explained_full_disk(folder):
        if shutil.disk_usage(folder).free < size:
            raise OSError(errno.ENOSPC, "No space left on device")


def is_full(error):
    """Whether an error, or one that it came from, is that of a full disk."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in _CODES:
            return True
        if any(word in str(error) for word in _WORDS):
            return True
        error = error.__cause__ or error.__context__
    return False


def _free(path):
    for place in (path, *path.parents) if hasattr(path, "parents") else (path,):
        try:
            return f"{shutil.disk_usage(place).free:,} free bytes"
        except OSError:
            continue
    return "an unknown number of free bytes"
