"""Epochs whose order is known from the seed and the number of the epoch.

    order = permutation(num_rows, key(seed, ORDER, epoch))

Nothing is kept between epochs, so that a run resumed at epoch k sees the
batches that it would have seen.
"""

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.core import noise


def epochs(x, y=None, sample_weight=None, batch_size=32, seed=0, counter=None,
           shuffle=True):
    """Batches of one epoch, in an order read off `counter` when it starts.

    Args:
        x: Array `[N, ...]`, or dict or tuple of them.
        y: The same for the targets, or `None`.
        sample_weight: Weights `[N]`, or `None`.
        batch_size: Positive integer; the last batch keeps what is left.
        seed: Integer seed of the order.
        counter: Scalar int32 `tf.Variable`, the number of the epoch; `None` for
            the order of epoch 0 each time.
        shuffle: Whether to shuffle, or to keep the order of the rows.

    Returns:
        Finite `tf.data.Dataset` of `(x,)`, `(x, y)` or `(x, y, sample_weight)`.
    """
    if y is None and sample_weight is not None:
        raise ValueError("Expected targets with the weights: pass `y`. Received: "
                         "y=None and a sample_weight")
    if batch_size < 1:
        raise ValueError("Expected a positive batch size. "
                         f"Received: batch_size={batch_size!r}")
    if counter is not None and (counter.dtype != tf.int32 or counter.shape.rank):
        raise ValueError("Expected a scalar int32 variable. "
                         f"Received: counter={counter}")
    parts = tuple(p for p in (x, y, sample_weight) if p is not None)
    # Tensors made outside of the functions below are captured by them, arrays
    # would be copied into their graphs; and `tf.data` runs on the CPU.
    with tf.device("CPU:0"):
        tensors = tf.nest.map_structure(_tensor, parts)
    num_rows = _num_rows(tensors)

    def batches(_):
        epoch = 0 if counter is None else counter.read_value()
        order = tf.range(num_rows)
        if shuffle:
            order = noise.permutation(num_rows, noise.key(seed, noise.ORDER, epoch))
        return tf.data.Dataset.from_tensor_slices(order).batch(batch_size).map(
            gather, num_parallel_calls=tf.data.AUTOTUNE, deterministic=True)

    def gather(rows):
        return tf.nest.map_structure(lambda t: tf.gather(t, rows), tensors)

    num_batches = -(-num_rows // batch_size)
    dataset = tf.data.Dataset.from_tensors(0).flat_map(batches)
    dataset = dataset.apply(tf.data.experimental.assert_cardinality(num_batches))
    return dataset.prefetch(tf.data.AUTOTUNE)


def _tensor(array):
    if not hasattr(array, "shape"):  # A list would become one stacked tensor.
        raise ValueError("Expected arrays, or dicts and tuples of them. "
                         f"Received: {type(array).__name__}")
    if array.dtype == np.float64:  # As Keras does with arrays.
        array = array.astype(keras.backend.floatx()) if isinstance(
            array, np.ndarray) else tf.cast(array, keras.backend.floatx())
    return tf.convert_to_tensor(array)


def _num_rows(tensors):
    shapes = [tuple(t.shape) for t in tf.nest.flatten(tensors)]
    rows = {shape[:1] for shape in shapes}
    if len(rows) != 1 or rows & {(), (0,)}:
        raise ValueError("Expected arrays with the same number of rows, at least "
                         f"one. Received: shapes={shapes}")
    return rows.pop()[0]
