"""Epochs of batches, in an order that depends on the seed and the epoch only.

    order = permutation(num_rows, key(seed, ORDER, epoch))

If several copies of a model have orders of their own, these also depend on the number
of the copy. Nothing is stored between epochs, so that a resumed run gets the same
batches as one without a break.
"""

import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.core.batches import as_tensor


def epochs(x, y=None, sample_weight=None, batch_size=32, seed=0, start=0,
           shuffle=True, copies=None, group=1, drop_remainder=False, stream=0):
    """Makes the batches of one epoch after the other, without end.

    One iterator is used for a whole training, because starting an iterator takes as
    long as many steps of a small network.

    Args:
        x: Array `[N, ...]`, or dict or tuple of arrays.
        y: Targets, of the same form, or `None`.
        sample_weight: Weights `[N]`, or `None`.
        batch_size: Positive integer, rows of a batch; the last batch of an epoch may be
            smaller.
        seed: Integer, seed of the order.
        start: Integer, number of batches to skip, from which a resumed run continues.
        shuffle: Bool, whether to shuffle the rows.
        copies: Integer, number of orders side by side, as `[B, copies, ...]`; `None`
            is one order, without that axis.
        group: Integer, number of rows that stay together in their order; `batch_size`
            still counts rows.
        drop_remainder: Bool, whether a smaller last batch of an epoch is left out, so
            that all batches have the same shape.
        stream: Integer, 0 for the inputs; another number gives a set that is used
            beside them an order of its own.

    Returns:
        Infinite `tf.data.Dataset` of `(x,)`, `(x, y)` or `(x, y, sample_weight)`,
        where `y` is `None` if there are weights alone.

    Example:

        dataset = bdlzoo.data.epochs(x, y, batch_size=128)
        x_batch, y_batch = next(iter(dataset))
    """
    if copies is not None and not shuffle:
        raise ValueError("Expected `copies=None` if rows are not shuffled. "
                         f"Received: copies={copies} and shuffle=False")
    if batch_size < 1:
        raise ValueError("Expected a positive batch size. "
                         f"Received: batch_size={batch_size!r}")
    # A list of arrays would become one tensor.
    parts = tuple(tuple(p) if isinstance(p, list) else p
                  for p in (x, y, sample_weight) if p is not None)
    if batch_size % group:
        raise ValueError(f"Expected batches of whole groups of {group} rows. "
                         f"Received: batch_size={batch_size}")
    # The functions below capture tensors, but would copy arrays into their graphs.
    # The device is the CPU, where `tf.data` runs.
    with tf.device("CPU:0"):
        tensors = tf.nest.map_structure(as_tensor, parts)
    num_rows = _num_rows(tensors)
    if num_rows % group:
        raise ValueError(f"Expected whole groups of {group} rows. "
                         f"Received: {num_rows} rows")
    if drop_remainder and num_rows < batch_size:
        raise ValueError("Expected at least one whole batch. Received: "
                         f"batch_size={batch_size}, and {num_rows} rows")
    if group > 1:
        num_rows, batch_size = num_rows // group, batch_size // group
        tensors = tf.nest.map_structure(
            lambda t: tf.reshape(t, [num_rows, group, *t.shape[1:]]), tensors)

    def batches(epoch):
        key = noise.key(seed, noise.ORDER, epoch, *([stream] if stream else []))
        if copies is not None:
            order = tf.stack([noise.permutation(num_rows, one) for one
                              in tf.unstack(noise.split(key, copies))], axis=1)
        elif shuffle:
            order = noise.permutation(num_rows, key)
        else:
            order = tf.range(num_rows)
        return tf.data.Dataset.from_tensor_slices(order).batch(
            batch_size, drop_remainder)

    def gather(rows):
        found = tf.nest.map_structure(lambda t: tf.gather(t, rows), tensors)
        return found if group == 1 else tf.nest.map_structure(
            lambda t: tf.reshape(t, [-1, *t.shape[2:]]), found)

    first, skipped = divmod(start, num_batches(num_rows, batch_size, drop_remainder))
    rows = tf.data.Dataset.range(first, tf.int64.max).flat_map(batches)
    dataset = rows.skip(skipped).map(
        gather, num_parallel_calls=tf.data.AUTOTUNE, deterministic=True)
    if y is None and sample_weight is not None:
        dataset = dataset.map(lambda x, weight: (x, None, weight))
    return dataset.prefetch(tf.data.AUTOTUNE)


def num_batches(num_rows, batch_size, drop_remainder=False):
    """Number of batches in an epoch, with or without a smaller last one."""
    return num_rows // batch_size if drop_remainder else -(-num_rows // batch_size)


def _num_rows(tensors):
    shapes = [tuple(t.shape) for t in tf.nest.flatten(tensors)]
    rows = {shape[:1] for shape in shapes}
    if len(rows) != 1 or rows & {(), (0,)}:
        raise ValueError("Expected arrays with the same number of rows, at least "
                         f"one. Received: shapes={shapes}")
    return rows.pop()[0]
