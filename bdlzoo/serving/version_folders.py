"""Folders of versions: which number each has, and whether it has changed."""

import os
import pathlib

from bdlzoo.model import saved_model


def find(folder):
    """Finds the versions of a model.

    As in TF Serving, zeros before a number do not count.

    Args:
        folder: Folder of the served model.

    Returns:
        Dictionary from a number to the path of its folder, and dictionary from the
        name of a folder that is left out to the reason.
    """
    found, left_out = {}, {}
    folder = pathlib.Path(folder)
    # A name without zeros comes first.
    for path in sorted(folder.iterdir(), key=lambda path: (len(path.name), path.name)
                       ) if folder.is_dir() else ():
        number = saved_model.version_number(path.name)
        if not path.name.isdecimal() or not path.is_dir():
            continue
        if number is None:
            left_out[path.name] = ("Expected a number of a version, from 0 to "
                                   f"{saved_model.LARGEST}")
        elif number in found:
            left_out[path.name] = (f"Expected one folder for version {number}; "
                                   f"{found[number].name} is served")
        else:
            found[number] = path
    return found, left_out


def mark(path):
    """What differs after a version was replaced or written again.

    Args:
        path: Folder of the version.

    Returns:
        Tuple of names, numbers on the disk, sizes and times of the files.
    """
    places = []
    for place, _, files in os.walk(path):
        for each in (place, *(os.path.join(place, name) for name in files)):
            try:
                state = os.stat(each)
            except OSError:  # It was taken away just now.
                continue
            places.append((each, state.st_ino, state.st_size, state.st_mtime_ns))
    return tuple(sorted(places))
