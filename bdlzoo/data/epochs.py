"""Epochs whose order is known from the seed and the number of the epoch.

    order = permutation(num_rows, key(seed, ORDER, epoch))

and of a copy of the model, where it has an order of its own, from its number.

Nothing is kept between epochs, so that a run resumed at epoch k sees the
batches that it would have seen.
"""

import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.core.batches import as_tensor


def epochs(x, y=None, sample_weight=None, batch_size=32, seed=0, start=0,
           shuffle=True, copies=None, group=1, drop_remainder=False, stream=0):
    """Batches of one epoch after the other, without end.

    One iterator serves a whole training: starting one takes as long as many
    steps of a small network.

    Args:
        x: Array `[N, ...]`, or dict or tuple of them.
        y: The same for the targets, or `None`.
        sample_weight: Weights `[N]`, or `None`.
        batch_size: Positive integer; the last batch of an epoch keeps what is
            left.
        seed: Integer seed of the order.
        start: Integer, batches that were seen before: where a resumed run goes
            on.
        shuffle: Whether to shuffle, or to keep the order of the rows.
        copies: Integer, orders to serve side by side, as `[B, copies, ...]`;
            `None` is one order, without that axis.
        group: Integer, rows that stay together, in their order; a batch holds
            `batch_size` rows all the same.
        drop_remainder: Whether the last batch of an epoch is left out where it
            would be short: all batches have one shape then, known in advance.
        stream: Integer, apart from 0 for a set that stands beside another one: its
            order is its own.

    Returns:
        Infinite `tf.data.Dataset` of `(x,)`, `(x, y)` or `(x, y, sample_weight)`,
        where `y` is `None` if there are weights alone.
    """
    if copies is not None and not shuffle:
        raise ValueError("Expected one order where rows are not shuffled. "
                         f"Received: copies={copies} and shuffle=False")
    if batch_size < 1:
        raise ValueError("Expected a positive batch size. "
                         f"Received: batch_size={batch_size!r}")
    # A list of tensors would be taken for one tensor.
    parts = tuple(tuple(p) if isinstance(p, list) else p
                  for p in (x, y, sample_weight) if p is not None)
    if batch_size % group:
        raise ValueError(f"Expected batches of whole groups of {group} rows. "
                         f"Received: batch_size={batch_size}")
    # Tensors made outside of the functions below are captured by them, arrays
    # would be copied into their graphs; and `tf.data` runs on the CPU.
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
    """Batches of an epoch, the last one perhaps short, or left out."""
    return num_rows // batch_size if drop_remainder else -(-num_rows // batch_size)


def _num_rows(tensors):
    shapes = [tuple(t.shape) for t in tf.nest.flatten(tensors)]
    rows = {shape[:1] for shape in shapes}
    if len(rows) != 1 or rows & {(), (0,)}:
        raise ValueError("Expected arrays with the same number of rows, at least "
                         f"one. Received: shapes={shapes}")
    return rows.pop()[0]
