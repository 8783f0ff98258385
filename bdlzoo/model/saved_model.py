"""Writes SavedModels in numbered folders, as servers expect them.

A version is first written to a folder whose name is not a number, which servers ignore,
and renamed when it is on the disk. An export that is killed leaves such a folder, and
the next export removes it.
"""

import keyword
import os
import pathlib
import re
import shutil
import tempfile

import keras
import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2

from bdlzoo.core.folder_lock import folder_lock
from bdlzoo.core.full_disk import explained_full_disk
from bdlzoo.core.whole_file import sync
from bdlzoo.model import first_answer

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_ASIDE = ".part-"
LARGEST = 2**63 - 1  # Servers keep the number of a version in 64 bits.


def write(parts, endpoints, path, finish=None, rows=1, **kwargs):
    """Writes the next version below `path`; it is visible only when complete.

    Args:
        parts: List of built Keras models and layers, whose variables are saved.
        endpoints: Dictionary from a name to `(function, list of specs)`. The names of
            the specs are those of the tensors of a request, any strings.
        path: Folder of the served model.
        finish: Function of the folder of the version, called before the folder gets
            its number; `None` for none.
        rows: Integer, rows of the request by which the first endpoint is tried. Where
            its answer is not finite, nothing is written.
        **kwargs: Arguments of `keras.export.ExportArchive.write_out`.

    Returns:
        Path of the version.
    """
    archive, aliases = keras.export.ExportArchive(), {}
    for part in parts:
        archive.track(part)
    first, *_ = endpoints
    for name, (function, specs) in endpoints.items():
        traced = archive.add_endpoint(name, function, tf.nest.map_structure(
            lambda spec: _safe(spec, aliases), specs))
        if name == first:
            first_answer.check(traced, specs, rows)
    path = pathlib.Path(path)
    path.mkdir(parents=True, exist_ok=True)
    with explained_full_disk(path), folder_lock(path):  # Only one export at a time.
        for left in path.glob(f"{_ASIDE}*"):
            shutil.rmtree(left)
        with tempfile.TemporaryDirectory(prefix=_ASIDE, dir=path) as aside:
            model = pathlib.Path(aside, "model")
            archive.write_out(str(model), **kwargs)
            if aliases:
                _rename(model / "saved_model.pb", aliases)
            if finish is not None:
                finish(model)
            _flush(model)
            version = 1 + max(versions(path), default=0)
            os.rename(model, path / str(version))
            sync(path)
    return path / str(version)


def versions(path):
    """Numbers of the versions in the folder of a served model, in rising order."""
    folder = pathlib.Path(path)
    found = {version_number(p.name) for p in folder.iterdir()
             } if folder.is_dir() else set()
    return sorted(found - {None})


def version_number(name):
    """Number of the version in a folder of this name; `None` if it has none.

    Args:
        name: String. Servers read `007` as 7, and no number above `LARGEST`.
    """
    if not name.isdecimal() or not name.isascii() or int(name) > LARGEST:
        return None
    return int(name)


def _safe(spec, aliases):
    """A spec with a name that TensorFlow takes; `aliases` keeps the one it stands for.

    TensorFlow makes arguments of functions of the names, and fails where it cannot.
    """
    if _NAME.fullmatch(spec.name) and not keyword.iskeyword(spec.name) and (
            spec.name != "self"):
        return spec
    known = {name: alias for alias, name in aliases.items()}
    alias = known.get(spec.name, f"bdlzoo_input_{len(aliases)}")
    aliases[alias] = spec.name
    return tf.TensorSpec(spec.shape, spec.dtype, alias)


def _rename(path, aliases):
    """Puts the real names of inputs into the signatures of a SavedModel."""
    found = saved_model_pb2.SavedModel.FromString(path.read_bytes())
    for graph in found.meta_graphs:
        for signature in graph.signature_def.values():
            for alias in [name for name in signature.inputs if name in aliases]:
                signature.inputs[aliases[alias]].CopyFrom(signature.inputs[alias])
                del signature.inputs[alias]
        # From here Python reads the names when it loads the model.
        for node in graph.object_graph_def.nodes:
            if node.WhichOneof("kind") == "bare_concrete_function":
                words = node.bare_concrete_function.argument_keywords
                words[:] = [aliases.get(word, word) for word in words]
    path.write_bytes(found.SerializeToString())


def _flush(folder):
    """Waits until a folder and its contents are on the disk."""
    for place, _, files in os.walk(folder, topdown=False):
        for name in files:
            sync(os.path.join(place, name))
        sync(place)
