"""Model files (`.keras`) that are whole, say what they are, and find damage.

A file is a zip that Keras writes, with a checksum for each part of it. A seal at its
end has a checksum of all of it, which `load` compares, and the model's fingerprint.
"""

import pathlib
import zipfile

import keras
import numpy as np
from absl import logging

from bdlzoo.core import seal
from bdlzoo.core.file_error import reading
from bdlzoo.core.whole_file import whole_file
from bdlzoo.model import fingerprint

_MOST_FACTS = 60000  # Bytes; a config that is longer is left out.


class SealedFiles:
    """Mixin of models that write sealed files."""

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
            seal.seal(part, _facts(self))


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
