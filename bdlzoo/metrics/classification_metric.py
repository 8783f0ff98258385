"""Base class of metrics of class probabilities."""

import keras
from keras import ops


class ClassificationMetric(keras.metrics.Metric):
    """Reads labels, probabilities and weights.

    Labels `y_true` are integers, `[B]` or `[B, 1]`. Probabilities `y_pred` are
    `[B, C]`; with `[B]` or `[B, 1]` they are the probability of class 1 and become
    two columns. `sample_weight` is a scalar, `[B]` or `[B, 1]`.

    Args:
        **kwargs: Arguments of `keras.metrics.Metric`, such as `name`.
    """

    def read(self, y_true, y_pred, sample_weight):
        """Returns labels `[B]`, probabilities `[B, C]` and weights `[B]`."""
        probabilities = ops.convert_to_tensor(y_pred, dtype=self.dtype)
        if len(probabilities.shape) == 1:
            probabilities = ops.expand_dims(probabilities, axis=-1)
        if len(probabilities.shape) != 2:
            raise ValueError(
                "Expected class probabilities of shape [B, C], or [B, 1] of "
                f"class 1. Received: y_pred.shape={probabilities.shape}. "
                "Flatten all axes but the last.")
        if probabilities.shape[-1] == 1:
            probabilities = ops.concatenate(
                [1.0 - probabilities, probabilities], axis=-1)
        labels = ops.convert_to_tensor(y_true)
        if len(labels.shape) > 1 and labels.shape[-1] not in (None, 1):
            raise ValueError(
                "Expected integer labels of shape [B] or [B, 1]. Received: "
                f"y_true.shape={labels.shape}. Take the argmax of one-hot rows.")
        labels = ops.reshape(ops.cast(labels, "int32"), (-1,))
        return labels, probabilities, self.row_weights(sample_weight, labels)

    def row_weights(self, sample_weight, rows):
        """Weights `[B]`, ones if none are given."""
        if sample_weight is None:
            return ops.ones(ops.shape(rows), dtype=self.dtype)
        weights = ops.convert_to_tensor(sample_weight, dtype=self.dtype)
        return ops.broadcast_to(ops.reshape(weights, (-1,)), ops.shape(rows))

    def confidence_and_gap(self, labels, probabilities):
        """Confidence `[B]` of the predicted class, and hit minus confidence `[B]`."""
        confidence = ops.max(probabilities, axis=-1)
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
