"""Model files (`.keras`) that are whole, say what they are, and find damage.

A file is a zip that Keras writes. The zoo adds a digest of all arrays to the weights in
it, which is checked whoever loads them: Keras itself does not compare their checksum.
A seal at the end of the file has a checksum of all of it and the fingerprint of the
model, and is checked by `load`.
"""

import hashlib
import io
import os
import pathlib
import zipfile

import h5py
import keras
import numpy as np
from absl import logging

from bdlzoo.core import keras_internals, seal
from bdlzoo.core.file_error import reading
from bdlzoo.core.whole_file import whole_file
from bdlzoo.model import fingerprint

_DIGEST = "bdlzoo_digest"
_WEIGHTS = "model.weights.h5"
_MOST_FACTS = 60000  # Bytes; a config that is longer is left out.


class SealedFiles:
    """Mixin of models that write sealed files and check what they load."""

    def save(self, filepath, overwrite=True, zipped=None, **kwargs):
        """Saves the model as in Keras; a `.keras` file is whole or not there.

        Args:
            filepath: Path of the file.
            overwrite: As in Keras.
            zipped: As in Keras.
            **kwargs: As in Keras.
        """
        path = pathlib.Path(filepath)
        if path.suffix != ".keras" or zipped is False or "://" in str(filepath) or (
                path.exists() and not overwrite):
            super().save(filepath, overwrite=overwrite, zipped=zipped, **kwargs)
            return
        with whole_file(path) as part:
            super().save(part, overwrite=True, zipped=zipped, **kwargs)
            _add_digest(part)
            seal.seal(part, _facts(self))

    def load_own_variables(self, store):
        file = keras_internals.weights_file(store)
        if file is not None and _DIGEST in file.attrs and (
                file.attrs[_DIGEST] != digest(file)):
            raise ValueError("Expected weights with the checksum that was written "
                             "beside them: the file was damaged, so take another copy. "
                             f"Received: {file.filename}")
        super().load_own_variables(store)


def load(path, expected="the file of a Keras model",
         advice="Take another copy of it, or save the model again."):
    """Loads the file of any Keras model that is whole and has finite weights.

    Args:
        path: Path of the file.
        expected: String for errors, what was expected.
        advice: String for errors, what to do.

    Returns:
        `keras.Model`.

    Raises:
        FileError: If there is no such model in the file, whatever is in it.
    """
    path = pathlib.Path(path)
    with reading(path, expected, advice):
        facts = facts_of(path)
        model = keras.saving.load_model(path)
        if not isinstance(model, keras.Model):
            raise ValueError(f"it has a {type(model).__name__}, which is no model")
        _check_numbers(model)
        if isinstance(model, SealedFiles):
            if facts is None:
                logging.warning("%s has no checksum: an earlier version, or Keras "
                                "itself, wrote it.", path)
            else:
                fingerprint.check({"version": facts.get("version")}, {
                    "version": fingerprint.version()}, path)
    return model


def facts_of(path):
    """Checks the file of a model; returns the facts in its seal, `None` without one.

    Args:
        path: Path of the file.
    """
    if not path.is_file():
        raise ValueError("there is no such file")
    facts = seal.facts_of(path)
    if path.suffix == ".keras":
        with zipfile.ZipFile(path) as file:
            damaged = file.testzip()
        if damaged is not None:
            raise ValueError(f"the checksum of {damaged} in it differs")
    return facts


def digest(file):
    """Digest of the names, types and values of all arrays in an HDF5 file.

    Args:
        file: Open `h5py.File`.
    """
    arrays = {}
    file.visititems(lambda name, item: arrays.update(
        {name: item} if isinstance(item, h5py.Dataset) else {}))
    found = hashlib.sha256()
    for name in sorted(arrays):
        item = arrays[name]
        marks = sorted((key, str(value)) for key, value in item.attrs.items())
        found.update(repr((name, item.dtype.str, item.shape, marks)).encode())
        found.update(np.asarray(item[()]).tobytes())
    return found.hexdigest()


def _add_digest(path):
    """Writes the digest of the weights beside them."""
    other = path.with_name(f"{path.name}.new")
    try:
        with zipfile.ZipFile(path) as old, zipfile.ZipFile(other, "w") as new:
            for member in old.infolist():
                content = old.read(member)
                new.writestr(member, _with_digest(content)
                             if member.filename == _WEIGHTS else content)
        os.replace(other, path)
    finally:
        other.unlink(missing_ok=True)


def _with_digest(content):
    buffer = io.BytesIO(content)
    with h5py.File(buffer, "r+") as file:
        file.attrs[_DIGEST] = digest(file)
    return buffer.getvalue()


def _facts(model):
    """Facts for the seal: the fingerprint, with a network that is not too long."""
    facts = fingerprint.fingerprint(model)
    facts["network"] = fingerprint.digest(facts["network"])
    return facts if len(str(facts)) < _MOST_FACTS else {**facts, "config": None}


def _check_numbers(model):
    for weight in model.weights:
        values = np.asarray(weight)
        if values.dtype.kind == "f" and np.isnan(values).any():
            raise ValueError(f"its weight {weight.path} has values that are NaN")
