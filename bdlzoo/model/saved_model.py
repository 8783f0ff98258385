"""Writes SavedModels as servers expect them: numbered folders, each whole."""

import os
import pathlib
import tempfile

import keras


def write(parts, endpoints, path, **kwargs):
    """Writes the next version below `path`, whole or not at all.

    Args:
        parts: List of built Keras models and layers, whose variables are saved.
        endpoints: Dictionary of name to `(function, list of specs)`.
        path: Folder of the served model.
        **kwargs: As in `keras.export.ExportArchive.write_out`.

    Returns:
        Path of the version.
    """
    archive = keras.export.ExportArchive()
    for part in parts:
        archive.track(part)
    for name, (function, specs) in endpoints.items():
        archive.add_endpoint(name, function, specs)
    path = pathlib.Path(path)
    path.mkdir(parents=True, exist_ok=True)
    # Servers look for folders with numbers: a half-written one has none.
    with tempfile.TemporaryDirectory(prefix=".part-", dir=path) as part:
        archive.write_out(os.path.join(part, "model"), **kwargs)
        version = 1 + max([int(p.name) for p in path.iterdir()
                           if p.name.isdecimal()], default=0)
        os.rename(os.path.join(part, "model"), path / str(version))
    return path / str(version)
