"""Batches of data: what they hold, and the checks that all models make of them."""

import collections.abc
import functools
import typing

import keras
import numpy as np
import tensorflow as tf
from absl import logging

_AT_ONCE = 2**22  # Numbers that are checked at once.


class Beside(typing.NamedTuple):
    """Inputs of a step and, by name, batches of the sets that stand beside them."""

    inputs: typing.Any
    side: dict


def unpack(data):
    """Inputs, targets and weights of a batch, or of arrays; `None` for none.

    Args:
        data: Inputs alone, or a tuple of one to three of these.
    """
    return keras.utils.unpack_x_y_sample_weight(data)


def packed(parts):
    """Tuple of inputs, targets and weights, up to the last that is there."""
    parts = tuple(parts)
    return packed(parts[:-1]) if parts[-1] is None else parts


def flat(structure):
    """Arrays or tensors of a structure, in order."""
    return tf.nest.flatten(structure)


def num_rows(structure):
    """Rows of the first array or tensor of a structure."""
    return len(flat(structure)[0])


def take(structure, rows):
    """Rows of all arrays of a structure; `None` stays `None`."""
    if structure is None:
        return None
    return tf.nest.map_structure(lambda array: array[rows], structure)


def is_arrays(x):
    """Whether data are arrays or tensors (or a structure of them)."""
    return bool(flat(x)) and all(
        isinstance(part, np.ndarray) or tf.is_tensor(part) for part in flat(x))


def as_tensor(array):
    """A tensor of the type that Keras computes in."""
    if not hasattr(array, "shape"):  # A list would become one stacked tensor.
        raise ValueError("Expected arrays, or dicts and tuples of them. "
                         f"Received: {type(array).__name__}")
    if array.dtype == np.float64:  # As Keras does with arrays.
        array = array.astype(keras.backend.floatx()) if isinstance(
            array, np.ndarray) else tf.cast(array, keras.backend.floatx())
    return tf.convert_to_tensor(array)


def row_shapes(x):
    """Shapes of a structure of arrays, with an open number of rows."""
    return tf.nest.map_structure(lambda t: (None, *t.shape[1:]), x)


def layout(x):
    """Shapes of the rows of a structure: by name, or in order."""
    if isinstance(x, dict):
        return {name: layout(part) for name, part in sorted(x.items())}
    return [tuple(part.shape[1:]) for part in flat(x)]


def guarded(structure, checks):
    """The same tensors, after some assertions."""
    with tf.control_dependencies(checks):
        return tf.nest.map_structure(tf.identity, structure)


def check_rows(x, y=None):
    """Raises where there is no row, or not as many targets as inputs."""
    lists = [part for part in flat((x, y))
             if part is not None and not hasattr(part, "shape")]
    if lists:
        raise ValueError("Expected arrays, or dicts and tuples of them: use "
                         f"`np.asarray`. Received: {type(lists[0]).__name__} in a list")
    counts = [len(part) for part in flat(x)]
    if len(set(counts)) != 1 or 0 in counts:
        raise ValueError("Expected inputs with at least one row, and as many of each. "
                         f"Received: rows of inputs {counts}")
    targets = counts if y is None else [len(part) for part in flat(y)]
    if {*targets} != {*counts}:
        raise ValueError(
            "Expected as many targets as inputs, and at least one. Received: "
            f"rows of inputs {counts}, rows of targets {targets}")


def check_finite(x, name="inputs", dtype=None):
    """Raises where numbers are NaN or infinite, or become so when they are cast.

    Args:
        x: Structure of arrays; those that are not floats are passed over.
        name: String, what the arrays are.
        dtype: String, type that the model computes in; `None` is that of Keras.
    """
    dtype = dtype or keras.backend.floatx()
    for part in flat(x):
        if not has_floats(part):
            continue
        part = np.asarray(part)
        if all_finite(part, dtype):
            continue
        values = part.reshape(len(part), -1).astype("float64")
        lost = ~np.isfinite(values).all(axis=1)
        rows = lost | (np.abs(values) > tf.as_dtype(dtype).max).any(axis=1)
        what = "with NaN or infinity" if lost.any() else (
            f"with numbers above {float(tf.as_dtype(dtype).max):.4g}, which are "
            f"infinite in {dtype}")
        raise ValueError(
            f"Expected finite {name}: drop or fill what is missing, and scale what is "
            f"too large. Received: {int(rows.sum())} of {len(part)} rows {what}, "
            f"the first at index {int(rows.argmax())}")


def all_finite(array, dtype):
    """Whether the floats of an array are finite, also after a cast to a type."""
    largest = tf.as_dtype(dtype).max
    if array.dtype.itemsize <= tf.as_dtype(dtype).size:
        return _every(np.isfinite, array)
    # A comparison with NaN is false.
    return _every(lambda part: np.abs(part) <= largest, array)


def seem_finite(tensor, dtype):
    """The same as a quick look inside a graph: `False` asks for a closer one.

    Args:
        tensor: Tensor of any type; what is not a float passes.
        dtype: String, type that the model computes in.

    Returns:
        Scalar bool, a tensor or `True`.
    """
    if not has_floats(tensor):
        return True
    if tensor.dtype.size <= 2:
        return tf.reduce_all(tf.math.is_finite(tensor))
    if tensor.dtype.size <= tf.as_dtype(dtype).size:
        # A sum loses neither NaN nor infinity, since their own sum is NaN. That of
        # large numbers may be infinite, which asks for a closer look.
        return tf.math.is_finite(tf.reduce_sum(tensor))
    largest = tf.cast(tf.as_dtype(dtype).max, tensor.dtype)
    if tf.as_dtype(dtype).size <= 2:
        return tf.reduce_all(tf.abs(tensor) <= largest)
    # No number is above the norm of all, whatever its sign.
    return tf.math.reduce_euclidean_norm(tensor) <= largest


def all_of(conditions):
    """Whether all conditions hold, each a scalar tensor or a bool: a scalar tensor."""
    conditions = list(conditions)
    if any(condition is False for condition in conditions):
        return tf.constant(False)
    # Few operations: they run for every batch.
    tensors = [condition for condition in conditions if condition is not True]
    return functools.reduce(tf.logical_and, tensors, *([] if tensors else [
        tf.constant(True)]))


def has_floats(part):
    """Whether an array or tensor holds floats."""
    return part is not None and tf.as_dtype(part.dtype).is_floating


def _every(test, array):
    # Block by block: the answers of a large array would be a large array too.
    array = np.atleast_1d(array)
    rows = max(1, _AT_ONCE * len(array) // max(1, array.size))
    return all(test(array[start:start + rows]).all()
               for start in range(0, len(array), rows))


def check_share(share):
    """Raises where `validation_split` is no share of the rows."""
    if not 0 < share < 1:
        raise ValueError("Expected a share above 0 and below 1. Received: "
                         f"validation_split={share}")


def is_stream(data):
    """Whether data come in batches: from a dataset, a `PyDataset` or an iterator."""
    return isinstance(data, (tf.data.Dataset, keras.utils.PyDataset,
                             collections.abc.Iterator))


def example(data):
    """Inputs, targets and weights that tell shapes: arrays, or a first batch.

    Args:
        data: Arrays, alone or in a tuple as in `unpack`, a `tf.data.Dataset`, or a
            `keras.utils.PyDataset`.

    Returns:
        Tuple of three; `None` where looking at the data would use them up.
    """
    if isinstance(data, tf.data.Dataset):
        for batch in data.take(1):
            return unpack(batch)
        raise ValueError("Expected at least one batch. Received: an empty dataset")
    found = unpack(data[0] if isinstance(data, keras.utils.PyDataset) else data)
    return found if is_arrays(found[0]) else None


def num_batches(dataset):
    """Batches of a dataset; `None` where that is not known, or without end."""
    if isinstance(dataset, keras.utils.PyDataset):
        return dataset.num_batches
    size = int(getattr(dataset, "cardinality", lambda: -2)())
    return size if size >= 0 else None


def count_rows(dataset, batch):
    """Rows of a dataset, its last batch taken for whole; `None` if not known."""
    batches = num_batches(dataset)
    if batches is None or batch is None:
        return None
    rows = batches * num_rows(batch)
    logging.info("num_data=%d: %d batches, the last one taken for whole. Say "
                 "`fit(..., num_data=)` where it is not.", rows, batches)
    return rows


def inputs_of(data):
    """Inputs of each batch of a dataset or an iterator; of arrays, themselves."""
    if not is_stream(data):
        return [data]
    if isinstance(data, keras.utils.PyDataset):
        return (unpack(data[place])[0] for place in range(_length(data)))
    return (unpack(batch)[0] for batch in data)


def _length(data):
    if data.num_batches is None:
        raise ValueError("Expected batches of known number: give the `PyDataset` a "
                         "`__len__`. Received: one without end")
    return data.num_batches


def weighed_mean(rows, sample_weight):
    """Mean over rows `[B]`, each times its weight where there are any."""
    if sample_weight is not None:
        rows = rows * tf.reshape(tf.cast(sample_weight, rows.dtype), [-1])
    return tf.reduce_mean(rows)
