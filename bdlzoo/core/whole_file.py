"""Files that are whole or not there, whenever a process is killed."""

import contextlib
import json
import os
import pathlib


@contextlib.contextmanager
def whole_file(path):
    """Yields a path to write to; once it is on the disk it gets its name.

    Args:
        path: Path of the file. What stood there stays until the new one is whole.
    """
    path = pathlib.Path(path)
    part = path.with_name(f".part-{path.name}")
    yield part
    with open(part, "r+b") as file:  # Windows flushes only files to write to.
        os.fsync(file.fileno())
    os.replace(part, path)


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
