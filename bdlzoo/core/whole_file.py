"""Files that are whole or not there, whenever a process is killed."""

import contextlib
import json
import os
import pathlib
import shutil

from bdlzoo.core.full_disk import explained_full_disk

_PART = ".part-"


@contextlib.contextmanager
def whole_file(path):
    """Yields a path to write to; once it is on the disk it gets its name.

    Args:
        path: Path of the file. What stood there stays until the new one is whole.
    """
    path = pathlib.Path(path)
    part = path.with_name(f"{_PART}{path.name}")
    try:
        with explained_full_disk(path):
            yield part
            with open(part, "r+b") as file:  # Windows flushes only files to write to.
                os.fsync(file.fileno())
            os.replace(part, path)
            sync(path.parent)
    except BaseException:
        part.unlink(missing_ok=True)  # What is left of it would fill the disk.
        raise


def remove_parts(folder):
    """Removes what writers that were killed have left in a folder.

    Args:
        folder: Path of a folder that no other process works in.

    Returns:
        List of the paths that were removed.
    """
    folder = pathlib.Path(folder)
    left = [*folder.glob(f"{_PART}*"), *filter(_is_left, folder.glob("tmp*"))]
    for path in left:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    return left


def _is_left(path):
    """Whether a folder is one in which Keras collects the weights of a file."""
    return path.is_dir() and {p.name for p in path.iterdir()} <= {"model.weights.h5"}


def sync(path):
    """Waits until a file, or the names in a folder, are on the disk."""
    if os.name == "nt":  # Windows flushes only files that are open to write.
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_text(path, text):
    """Writes a file of text, whole or not at all."""
    with whole_file(path) as part:
        part.write_text(text)


def write_json(path, content):
    """Writes a file of JSON, whole or not at all."""
    write_text(path, json_text(content))


def json_text(content):
    """JSON as all files of the zoo have it: indented, keys in order."""
    return json.dumps(content, indent=2, sort_keys=True) + "\n"
