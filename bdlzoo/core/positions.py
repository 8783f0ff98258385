"""Positions of a batch, such as time steps or pixels: which count, and how much.

    loss    = sum over counted positions of weight * value / number of them
    per_row = counted positions / rows

Every position that counts is a data point. A position does not count if Keras' mask of
the outputs is false there (padding), or if its label is ignored. A batch `[B]` without
positions has one a row.
"""

import functools
import math

import numpy as np
import tensorflow as tf

from bdlzoo.core.replicas import rows_of_all


class Positions:
    """Counts and weights of the positions of a batch.

    Args:
        values: Tensor `[B, ...]` with a number for each position; only its shape is
            read.
        sample_weight: Weights of rows `[B]` or of positions `[B, ...]`, or `None`.
        counts: List of bools `[B, ...]`, which may leave out axes at the end, or
            `None`. A position counts if it does in all of them.
    """

    def __init__(self, values, sample_weight=None, counts=()):
        values = tf.convert_to_tensor(values)
        self.rank = values.shape.rank
        self._sizes, self._shape = values.shape, tf.shape(values)
        self.weights = None if sample_weight is None else self._like(
            "sample_weight", tf.cast(sample_weight, values.dtype))
        self.counts = None
        for part in counts:
            if part is not None:
                part = tf.broadcast_to(
                    self._like("mask", tf.convert_to_tensor(part)), self._shape)
                self.counts = part if self.counts is None else self.counts & part

    @functools.cached_property
    def per_row(self):
        """Counted positions in a row, the mean over the batch of all replicas."""
        if self.counts is None:
            sizes = self._sizes[1:]
            if None not in sizes:
                return float(math.prod(sizes))
            return tf.cast(tf.reduce_prod(self._shape[1:]), tf.float32)
        count = tf.reduce_sum(tf.cast(self.counts, tf.float32))
        context = tf.distribute.get_replica_context()
        if context is not None and context.num_replicas_in_sync > 1:
            count = context.all_reduce(tf.distribute.ReduceOp.SUM, count)
        # Without any that counts, the sum is 0, and so is the mean.
        return tf.maximum(count, 1.0) / rows_of_all(self.counts)

    def mean(self, values):
        """Mean of `[B, ...]` over what counts; weights are not in the denominator."""
        if self.weights is not None:
            values = values * self.weights
        if self.counts is None:
            return tf.reduce_mean(values)
        rows = tf.cast(self._shape[0], values.dtype)
        return tf.reduce_sum(self.counted(values)) / (rows * self.per_row)

    def counted(self, values):
        """The same values with 0 at positions that do not count."""
        # Not a product: what does not count may be NaN.
        return values if self.counts is None else tf.where(
            self.counts, values, tf.zeros([], values.dtype))

    def row_sums(self, values):
        """Sum of `[B, ...]` over the positions of a row that count, `[B]`."""
        return tf.reduce_sum(self.counted(values), axis=tuple(range(1, self.rank)))

    def weights_of(self, values):
        """Weights for a weighted mean of values of positions, or of rows `[B]`.

        Returns:
            Tensor in the shape of the positions, `[B]`, or `None` for equal ones.
        """
        if values.shape.rank < self.rank:  # Rows: only weights of rows apply.
            whole = self.weights is not None and all(
                size == 1 for size in self.weights.shape[1:])
            return tf.reshape(self.weights, [-1]) if whole else None
        return self.row_weights if self.row_weights is None else tf.reshape(
            self.row_weights, self._shape)

    @functools.cached_property
    def row_weights(self):
        """Weights of all positions, one after another, `[N]`; `None` for equal ones."""
        weights = self.counts if self.counts is None else tf.cast(
            self.counts, tf.float32)
        if self.weights is not None:
            whole = tf.broadcast_to(self.weights, self._shape)
            weights = whole if weights is None else weights * whole
        return None if weights is None else tf.reshape(weights, [-1])

    def rows(self, targets):
        """Targets of the positions, one after another, `[N]` or `[N, D]`.

        Those that do not count become 0, which is a class and a number.
        """
        targets = tf.convert_to_tensor(targets)
        targets = tf.reshape(targets, [-1, *_sizes(targets)[self.rank:]])
        if self.counts is None:
            return targets
        counts = tf.reshape(self.counts, [-1] + [1] * (targets.shape.rank - 1))
        return tf.where(counts, targets, tf.zeros([], targets.dtype))

    def _like(self, name, tensor):
        """A tensor with the axes of the values, of size 1 where it has none."""
        shape = tensor.shape
        while tensor.shape.rank > self.rank and tensor.shape[-1] == 1:
            tensor = tensor[..., 0]
        sizes = [size if axis else None for axis, size in enumerate(self._sizes)]
        form = ", ".join("B" if axis == 0 else str(size or "?")
                         for axis, size in enumerate(sizes))
        if tensor.shape.rank > self.rank:
            raise ValueError(
                f"Expected {name} of shape [B] or [{form}]: axis {self.rank} is no "
                f"axis of positions. Received: {name} of shape {tuple(shape)}")
        for axis, (size, wanted) in enumerate(zip(tensor.shape, sizes)):
            if None not in (size, wanted) and size not in (1, wanted):
                raise ValueError(
                    f"Expected {name} of shape [B] or [{form}]. Received: {name} of "
                    f"shape {tuple(shape)}, with {size} on axis {axis}")
        return _with_axes(tensor, self.rank)


def cleaned(targets, counts):
    """Targets with 0 where they do not count, since a label may be no class there.

    Args:
        targets: Tensor `[B, ...]`, which may have an axis more than the positions.
        counts: Bools `[B, ...]`, or `None` if all count.
    """
    if counts is None:
        return targets
    targets = tf.convert_to_tensor(targets)
    return tf.where(_with_axes(counts, targets.shape.rank), targets,
                    tf.zeros([], targets.dtype))


def check_labelled(y, ignore_class):
    """Raises a `ValueError` if a row has no position that counts.

    Args:
        y: Integers `[N, ...]`.
        ignore_class: Integer, label of positions that do not count; `None` for none.
    """
    if ignore_class is None:
        return
    y = np.asarray(y)
    empty = np.flatnonzero((y == ignore_class).reshape(len(y), -1).all(axis=1))
    if len(empty):
        raise ValueError(
            f"Expected a labelled pixel in each image: leave out images all of whose "
            f"pixels have the label ignore_class={ignore_class}. Received: "
            f"{len(empty)} such images, the first at index {empty[0]}")


def _with_axes(tensor, rank):
    """The same tensor with axes of size 1 at the end."""
    more = [1] * (rank - tensor.shape.rank)
    return tf.reshape(tensor, [*_sizes(tensor), *more]) if more else tensor


def _sizes(tensor):
    """Sizes of the axes, as integers if they are known."""
    return [tf.shape(tensor)[axis] if size is None else size
            for axis, size in enumerate(tensor.shape)]
