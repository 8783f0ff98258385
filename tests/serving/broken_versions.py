"""Versions that cannot be served, as accidents leave them."""

import os
import pathlib
import shutil

from bdlzoo.model import saved_model

WAYS = ("empty", "no graph", "no weights", "cut graph", "cut weights", "changed graph",
        "changed weights")


def newest(folder):
    """Path of the newest version in the folder of a served model."""
    return pathlib.Path(folder, str(max(saved_model.versions(folder))))


def publish_copy(folder, whole):
    """Publishes a copy of a version under the next number; returns its path.

    Args:
        folder: Folder of the served model.
        whole: Path of the version to copy.
    """
    aside = pathlib.Path(folder, ".copy")
    shutil.rmtree(aside, ignore_errors=True)
    shutil.copytree(whole, aside)
    path = newest(folder).with_name(str(int(newest(folder).name) + 1))
    os.rename(aside, path)
    return path


def publish_broken(folder, whole, way):
    """Publishes a broken copy of a version under the next number; returns its path.

    Args:
        folder: Folder of the served model.
        whole: Path of the version to copy.
        way: String, one of `WAYS`.
    """
    aside = pathlib.Path(folder, ".broken")
    shutil.rmtree(aside, ignore_errors=True)
    shutil.copytree(whole, aside)
    break_version(aside, way)
    path = newest(folder).with_name(str(int(newest(folder).name) + 1))
    os.rename(aside, path)
    return path


def break_version(version, way):
    """Breaks a version where it is.

    Args:
        version: Path of the version.
        way: String, one of `WAYS`.
    """
    version = pathlib.Path(version)
    graph = version / "saved_model.pb"
    [weights] = version.glob("variables/variables.data-*")
    if way == "empty":
        shutil.rmtree(version)
        version.mkdir()
        return
    file = graph if way.endswith("graph") else weights
    content = bytearray(file.read_bytes())
    if way.startswith("no "):
        file.unlink()
    elif way.startswith("cut "):
        file.write_bytes(content[:len(content) // 2])
    else:
        # Of the graph the begin is changed, which holds the field that follows.
        place = 1 if file is graph else len(content) // 2
        content[place] ^= 0xFF
        file.write_bytes(content)


def replace(version, whole):
    """Puts a copy of a whole version in the place of another one.

    Args:
        version: Path of the version to replace.
        whole: Path of the version to copy.
    """
    version = pathlib.Path(version)
    aside = version.with_name(".whole")
    shutil.rmtree(aside, ignore_errors=True)
    shutil.copytree(whole, aside)
    shutil.rmtree(version)
    os.rename(aside, version)
