"""Base class of metrics of class probabilities."""

import keras
import numpy as np
import tensorflow as tf
from keras import ops


class ClassificationMetric(keras.metrics.Metric):
    """Reads labels, probabilities and weights.

    Probabilities `y_pred` are `[B, ..., C]`; with `[B]` or `[B, ..., 1]` they are the
    probability of class 1 and become two columns. Labels `y_true` are integers
    `[B, ...]` or `[B, ..., 1]`, or class probabilities `[B, ..., C]`, such as one-hot
    rows. `sample_weight` is a scalar, or has the first axes of the labels. All
    positions become rows. A label that is no class is an error; in a graph, where
    values cannot be read, it makes the result NaN, unless its weight is 0.

    Args:
        **kwargs: Arguments of `keras.metrics.Metric`, such as `name`.
    """

    def read(self, y_true, y_pred, sample_weight):
        """Returns labels `[N]`, probabilities `[N, C]` and weights `[N]`."""
        shares, probabilities, weights = self.read_shares(
            y_true, y_pred, sample_weight)
        return (ops.cast(ops.argmax(shares, axis=-1), "int32"), probabilities, weights)

    def read_shares(self, y_true, y_pred, sample_weight):
        """Returns targets `[N, C]`, probabilities `[N, C]` and weights `[N]`.

        A row of the targets is one-hot, or holds class probabilities.
        """
        probabilities = ops.convert_to_tensor(y_pred, dtype=self.dtype)
        if len(probabilities.shape) == 1:
            probabilities = ops.expand_dims(probabilities, axis=-1)
        sizes = tuple(probabilities.shape)
        targets = ops.convert_to_tensor(y_true)
        self._check_axes(tuple(targets.shape), sizes)
        places = len(sizes) - 1  # Axes of the batch and of positions.
        weights = self.row_weights(sample_weight, probabilities[..., 0])
        probabilities = ops.reshape(probabilities, (-1, sizes[-1]))
        if sizes[-1] > 1 and tuple(targets.shape)[places:] == sizes[-1:]:
            targets = ops.reshape(ops.cast(targets, self.dtype), (-1, sizes[-1]))
            return targets, probabilities, weights
        if sizes[-1] == 1:
            probabilities = ops.concatenate(
                [1.0 - probabilities, probabilities], axis=-1)
        labels = ops.reshape(ops.cast(targets, "int32"), (-1,))
        known = ops.equal(ops.cast(labels, targets.dtype), ops.reshape(targets, (-1,)))
        known = known & (labels >= 0) & (labels < probabilities.shape[-1])
        weights = self._checked(weights, known, targets, probabilities.shape[-1])
        shares = ops.one_hot(labels, probabilities.shape[-1], dtype=self.dtype)
        return shares, probabilities, weights

    @staticmethod
    def _checked(weights, known, targets, num_classes):
        """Weights, if the labels of all rows that count are classes."""
        wrong = ~known & (weights != 0)
        if tf.executing_eagerly() and np.any(wrong):
            raise ValueError(
                f"Expected integer classes from 0 to {num_classes - 1}; give rows "
                "without a class the weight 0. Received: y_true with "
                f"{np.unique(np.ravel(targets)[np.asarray(wrong)])[:5].tolist()}")
        return ops.where(wrong, float("nan"), weights)

    @staticmethod
    def _check_axes(shape, sizes):
        """Raises an error that names the axis on which targets do not fit."""
        form = ", ".join("B" if axis == 0 else str(size or "?")
                         for axis, size in enumerate(sizes[:-1]))
        ends = {(): None, (1,): None, sizes[-1:]: None}
        if len(shape) < len(sizes) - 1 or shape[len(sizes) - 1:] not in ends and (
                None not in shape[len(sizes) - 1:]):
            raise ValueError(
                f"Expected integer labels of shape [{form}] or [{form}, 1], or one-hot "
                f"rows [{form}, {sizes[-1]}]. Received: y_true.shape={shape}, "
                f"y_pred.shape={sizes}")
        for axis, (size, wanted) in enumerate(zip(shape, sizes[:-1])):
            if None not in (size, wanted) and size != wanted:
                raise ValueError(
                    f"Expected labels with {wanted} on axis {axis}, as y_pred has. "
                    f"Received: y_true.shape={shape}, y_pred.shape={sizes}")

    def row_weights(self, sample_weight, rows):
        """Weights of all rows or positions, `[N]`; ones if none are given.

        Args:
            sample_weight: Scalar, or weights of the first axes of `rows`, or `None`.
            rows: Tensor `[B, ...]`.
        """
        if sample_weight is None:
            return ops.reshape(ops.ones_like(rows, dtype=self.dtype), (-1,))
        weights = ops.convert_to_tensor(sample_weight, dtype=self.dtype)
        while len(weights.shape) > len(rows.shape) and weights.shape[-1] == 1:
            weights = ops.squeeze(weights, axis=-1)
        while weights.shape and len(weights.shape) < len(rows.shape):
            weights = ops.expand_dims(weights, axis=-1)
        return ops.reshape(ops.broadcast_to(weights, ops.shape(rows)), (-1,))

    def confidence_and_gap(self, labels, probabilities):
        """Confidence `[B]` of the predicted class, and hit minus confidence `[B]`."""
        # Keras refuses the maximum of no rows unless it has a first value.
        confidence = ops.max(probabilities, axis=-1, initial=0.0)
        predicted = ops.cast(ops.argmax(probabilities, axis=-1), "int32")
        hits = ops.cast(ops.equal(labels, predicted), self.dtype)
        return confidence, hits - confidence

    @staticmethod
    def bin_of(values, num_bins):
        """Index of the bin `(i / num_bins, (i + 1) / num_bins]` of each value."""
        # Closed on the right: a confidence of exactly 1 is in the last bin.
        index = ops.cast(ops.ceil(values * num_bins), "int32") - 1
        return ops.clip(index, 0, num_bins - 1)

    @staticmethod
    def check_count(name, count):
        """Raises a `ValueError` if a number of bins or classes is not positive."""
        if count < 1:
            raise ValueError(
                f"Expected a positive integer. Received: {name}={count}")
