"""Data in all the ways that Keras takes them, in the form that a model takes.

    arrays      NumPy and TensorFlow, frames and series, strings
    datasets    of `tf.data`
    batches     `keras.utils.PyDataset`, Python generators and other iterators
"""

import collections.abc

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.core import arrays, batches
from bdlzoo.likelihoods import Bernoulli


def converted(model, x, y=None, sample_weight=None):
    """Inputs, targets and weights that Keras can read, as a tuple of three.

    Args:
        model: `StochasticModel` that the data are for.
        x: Inputs in any of the ways above.
        y: Targets, where they are not part of `x`.
        sample_weight: Weights, where they are not part of `x`.
    """
    if isinstance(x, tf.data.Dataset):
        x = _of_dataset(model, x)
    elif isinstance(x, keras.utils.PyDataset):
        x = _Converted(x, lambda batch: _of_batch(model, batch))
    elif is_iterator(x):
        # Keras knows generators of Python only, and no other iterators.
        x = (_of_batch(model, batch) for batch in x)
    elif batches.flat(x) and all(hasattr(part, "shape") for part in batches.flat(x)):
        x = model.as_inputs(x)
    elif isinstance(x, (list, tuple, dict)):
        batches.check_rows(x)  # Lists of numbers, which Keras would take for inputs.
    return x, *(arrays.of_targets(part) for part in (y, sample_weight))


def converted_pair(model, data):
    """The same for what `validation_data` takes: arrays in a tuple, or batches."""
    if data is None or batches.is_stream(data):
        return converted(model, data)[0]
    return batches.packed(converted(model, *batches.unpack(data)))


def is_iterator(data):
    """Whether data can be read only once."""
    return isinstance(data, collections.abc.Iterator)


def peeked(iterator):
    """First batch of an iterator, unpacked, and a generator of all its batches."""
    for first in iterator:
        return batches.unpack(first), _from(first, iterator)
    raise ValueError("Expected at least one batch. Received: an empty generator")


def class_weighed(model, data, class_weight):
    """Data whose weights are those of the classes of their rows.

    Args:
        model: `StochasticModel` that the data are for.
        data: Tuple of arrays as in `batches.unpack`, or batches.
        class_weight: Dictionary from classes to weights; other classes have weight 1.
    """
    if not np.isfinite([float(weight) for weight in class_weight.values()]).all():
        raise ValueError("Expected finite weights of classes. Received: "
                         f"class_weight={class_weight}")

    def weigh(*parts):
        x, y, sample_weight = batches.unpack(parts)
        if y is None or sample_weight is not None:
            raise ValueError(
                "Expected targets, and either `class_weight` or `sample_weight`. "
                f"Received: class_weight={class_weight}, "
                f"{'no targets' if y is None else 'and weights of rows'}")
        return x, y, _weights(_labels(model, x, y), class_weight)

    if isinstance(data, tf.data.Dataset):
        return data.map(weigh)
    if isinstance(data, keras.utils.PyDataset):
        return _Converted(data, lambda batch: weigh(*batch))
    if is_iterator(data):
        return (weigh(*batch) for batch in data)
    return weigh(*data)


def each(data, function):
    """Batches after a function of a batch and its number; arrays stay as they are.

    Args:
        data: `PyDataset`, iterator, or anything else, which stays as it is.
        function: Function of a batch and of its number, counted from 0.
    """
    if isinstance(data, keras.utils.PyDataset):
        return _Converted(data, function, numbered=True)
    if is_iterator(data):
        return (function(batch, place) for place, batch in enumerate(data))
    return data


def _labels(model, x, y):
    """Classes of the rows, or of their positions; -1 where there is none."""
    y = tf.convert_to_tensor(y)
    rank = model.output_rank(x)
    one_hot = y.shape.rank == rank and y.shape[-1] != 1 and not isinstance(
        getattr(model, "likelihood", None), Bernoulli)
    if one_hot:
        return tf.argmax(y, axis=-1, output_type=tf.int32)
    if y.shape.rank == rank and y.shape[-1] == 1:
        y = y[..., 0]
    labels = tf.cast(y, tf.int32)
    if y.dtype.is_floating and tf.executing_eagerly() and bool(
            tf.reduce_any(tf.cast(labels, y.dtype) != y)):
        raise ValueError("Expected classes with `class_weight`: give numbers "
                         "`sample_weight`. Received: targets that are not whole")
    return labels


def _weights(labels, class_weight):
    weights = tf.ones(tf.shape(labels))
    for label, weight in class_weight.items():
        weights = tf.where(labels == int(label), float(weight), weights)
    return weights.numpy() if tf.executing_eagerly() else weights


def _of_dataset(model, dataset):
    parts = tf.nest.flatten(dataset.element_spec)
    ragged = [part for part in parts if not isinstance(part, tf.TensorSpec)]
    if any(isinstance(part, (tf.RaggedTensorSpec, tf.SparseTensorSpec))
           for part in ragged):
        raise ValueError(
            "Expected a dataset of dense tensors: pad ragged rows by "
            "`dataset.map(lambda x, y: (x.to_tensor(), y))`, or batch them by "
            "`ragged_batch` and `padded_batch`. Received: "
            f"{type(ragged[0]).__name__}")
    if ragged:  # Optional parts; they have no shapes to fit.
        return dataset
    if model.takes(batches.unpack(dataset.element_spec)[0]):
        return dataset
    return dataset.map(lambda *batch: _of_batch(model, batch))


def _of_batch(model, batch):
    x, y, sample_weight = batches.unpack(batch)
    return batches.packed([_floats(part) for part in (
        model.as_inputs(x), *map(arrays.of_targets, (y, sample_weight)))])


def _floats(structure):
    """Arrays of 64 bits in the type that Keras computes in, as it does with arrays."""
    with np.errstate(over="ignore"):  # The check of the batch finds what is infinite.
        return tf.nest.map_structure(
            lambda part: part.astype(keras.backend.floatx()) if isinstance(
                part, np.ndarray) and part.dtype == np.float64 else part, structure)


def _from(first, rest):
    yield first
    yield from rest


class _Converted(keras.utils.PyDataset):
    """The batches of another `PyDataset`, each after a function."""

    def __init__(self, inner, function, numbered=False):
        super().__init__(inner.workers, inner.use_multiprocessing,
                         inner.max_queue_size)
        self.inner = inner
        self.function = function
        self.numbered = numbered

    @property
    def num_batches(self):
        return self.inner.num_batches

    def __getitem__(self, place):
        batch = self.inner[place]
        return self.function(batch, place) if self.numbered else self.function(batch)

    def on_epoch_begin(self):
        self.inner.on_epoch_begin()

    def on_epoch_end(self):
        self.inner.on_epoch_end()
