"""The folder of a run: who works in it, and what its files hold."""

import contextlib
import json
import os
import pathlib

import ml_collections
from absl import logging

from bdlzoo.core.file_error import FileError
from bdlzoo.core.folder_lock import folder_lock
from bdlzoo.core.whole_file import remove_parts

_WRITTEN = ("", "checkpoints", "plots")  # Folders below it that get files.
_ADVICE = "Restore it from a copy, or delete the folder of the run and train again."


class RunFolder:
    """A folder in which one process at a time works.

    The lock is that of the system: it ends with its process, however that ends.

    Args:
        path: Path of the folder, which may not be there yet.
    """

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self._held = False

    @contextlib.contextmanager
    def owned(self, check):
        """Makes the folder and holds its lock; may be entered again inside.

        A folder that was made here and is still empty at the end is removed.

        Args:
            check: Function without arguments, called once the lock is held: another
                process may have changed the folder before.

        Raises:
            ValueError: If another process works in the folder.
        """
        if self._held:
            yield
            return
        made = _make(self.path)
        try:
            with self._lock():
                check()
                self._clean()
                yield
        finally:
            for folder in made:
                with contextlib.suppress(OSError):  # Not empty: it is in use.
                    os.rmdir(folder)

    @contextlib.contextmanager
    def _lock(self):
        lock = folder_lock(self.path, wait=False)
        try:
            lock.__enter__()
        except BlockingIOError as error:
            raise ValueError(
                "Expected a folder in which no other process works: wait until that "
                "one has ended, or choose another --workdir. Received: workdir="
                f"{self.path}, which another process has locked") from error
        self._held = True
        try:
            yield
        finally:
            self._held = False
            lock.__exit__(None, None, None)

    def _clean(self):
        for name in _WRITTEN:
            for left in remove_parts(self.path / name):
                logging.info("Removed %s, which a killed process has left.", left)


def read_json(path, kind=dict):
    """Reads a JSON file of a run.

    Args:
        path: Path of the file.
        kind: Type that its content must have.

    Raises:
        FileError: If there is something else in the file.
    """
    path = pathlib.Path(path)
    try:
        content = json.loads(path.read_text())
    except (OSError, ValueError, RecursionError) as error:
        raise FileError(path, f"a file of JSON that `bdlzoo` wrote as {path.name}",
                        _ADVICE, error) from error
    if not isinstance(content, kind):
        raise FileError(path, f"a JSON {kind.__name__}", _ADVICE,
                        f"it has a {type(content).__name__}")
    return content


def is_empty(folder):
    """Whether a folder has nothing but a lock and what a killed writer has left."""
    return all(path.name == ".lock" or path.name.startswith(".part-")
               for path in folder.iterdir())


def check_types(config, path):
    """Raises an error if the sections that every run needs are of wrong types.

    Args:
        config: Dictionary, the content of `config.json`.
        path: Path of the file.
    """
    found = {"epochs": _is_whole(config.get("epochs")),
             "seed": isinstance(config.get("seed"), int),
             "method.type": _has_name(config.get("method"), "type")}
    if "world" in config:
        found.update({"world.type": _has_name(config["world"], "type"),
                      "episodes": _is_whole(config.get("episodes")),
                      "test_episodes": _is_whole(config.get("test_episodes"))})
    else:
        found.update({"data.name": _has_name(config.get("data"), "name"),
                      "batch_size": _is_whole(config.get("batch_size"))})
    wrong = sorted(name for name, right in found.items() if not right)
    if wrong:
        raise FileError(
            path, "the config of a run", _ADVICE,
            f"these keys are missing or of another type: {', '.join(wrong)}")


def config_of(workdir):
    """Path of the config in the folder of a run, and the config.

    Args:
        workdir: Folder of the run.
    """
    path = pathlib.Path(workdir, "config.json")
    if not path.exists():
        raise ValueError(
            "Expected the folder of a run, with its `config.json`: train one "
            "with `bdlzoo train --config=... --workdir=...`. "
            f"Received: workdir={workdir}")
    config = read_json(path)
    check_types(config, path)
    with config_errors(path):
        return path, ml_collections.ConfigDict(config)


@contextlib.contextmanager
def config_errors(path):
    """Explains the errors of values of wrong types in the config of a folder.

    Args:
        path: Path of `config.json`; `None` for a config that is not from a folder,
            whose errors stay as they are.
    """
    try:
        yield
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        if path is None:
            raise
        raise FileError(path, "the config of a run", _ADVICE, error) from error


def _has_name(section, key):
    return isinstance(section, dict) and isinstance(section.get(key), str)


def _is_whole(value):
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _make(path):
    """Makes a folder; returns the folders that were made, the innermost first."""
    made = []
    for folder in (path, *path.parents):
        if folder.exists():
            break
        made.append(folder)
    path.mkdir(parents=True, exist_ok=True)
    return made
