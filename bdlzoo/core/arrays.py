"""Arrays of what users give: frames, series, objects, arrays of other libraries.

Numbers keep their kind, and strings become string tensors, which Keras can read.
"""

import numpy as np
import tensorflow as tf


def of_inputs(structure):
    """Inputs as arrays and tensors; a series is a column `[N, 1]`, as in Keras.

    Args:
        structure: Arrays, frames or series, or dicts, lists and tuples of them.
    """
    return _each(structure, lambda array: array[:, None])


def of_targets(structure):
    """Targets or weights as arrays and tensors; a series is an array `[N]`.

    Args:
        structure: The same as for inputs; `None` stays `None`.
    """
    return _each(structure, lambda array: array)


def dtypes(structure):
    """Names of the types of a structure of arrays or tensors."""
    return tf.nest.map_structure(lambda part: tf.as_dtype(part.dtype).name, structure)


def _each(structure, series):
    def convert(part):
        if hasattr(part, "to_numpy"):  # A frame or a series; pandas is not needed.
            array = _plain(part.to_numpy())
            return series(array) if len(array.shape) == 1 else array
        return _plain(part)

    return tf.nest.map_structure(convert, structure)


def _plain(part):
    """One array or tensor; what is neither stays as it is, for later checks."""
    if isinstance(part, (tf.RaggedTensor, tf.SparseTensor)) or (
            hasattr(part, "tocsr")):
        raise ValueError(
            "Expected dense arrays: pad ragged rows by `x.to_tensor()` (with a mask, "
            "such as that of `Embedding(mask_zero=True)`), and fill sparse ones by "
            "`tf.sparse.to_dense(x)` or `x.toarray()`. Received: "
            f"{type(part).__name__}")
    if tf.is_tensor(part) or isinstance(part, tf.Variable):
        return part
    if hasattr(part, "__array__") and hasattr(part, "shape"):
        part = np.asarray(part)
        if part.dtype.kind in "US":
            return tf.convert_to_tensor(part)
        return _of_objects(part) if part.dtype.kind == "O" else part
    return part


def _of_objects(array):
    """Strings as a tensor, numbers as an array of their own type."""
    kinds = {type(item) for item in array.flat}
    if kinds and all(issubclass(kind, (str, bytes)) for kind in kinds):
        return tf.convert_to_tensor(array, tf.string)
    if all(issubclass(kind, (bool, int, float, np.number, np.bool_))
           for kind in kinds):
        return np.array(array.tolist())
    raise ValueError(
        "Expected arrays of numbers or of strings, without missing values: fill those, "
        "and give columns of several kinds as a dictionary, `dict(frame)`. Received: "
        f"objects of {', '.join(sorted(kind.__name__ for kind in kinds))}")
