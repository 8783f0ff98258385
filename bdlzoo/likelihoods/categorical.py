"""Categorical likelihood of several classes.

    log p(y | outputs)  = log softmax(outputs)_y            y a class index
                        = sum over c of y_c log softmax(outputs)_c

The second line is for targets that are probabilities of classes: one-hot rows, or soft
labels.
"""

import keras
import tensorflow as tf

from bdlzoo.core.class_prediction import ClassPrediction
from bdlzoo.likelihoods.likelihood import (
    ClassLikelihood,
    check_axes,
    check_classes,
    check_probabilities,
    has_class_axis,
    quick_classes,
    quick_probabilities,
)


@keras.saving.register_keras_serializable(package="bdlzoo")
class Categorical(ClassLikelihood):
    """Reads network outputs `[B, ..., C]` as logits over C classes.

    Targets are class indices `[B, ...]`, or `[B, ..., 1]`, of any number type; or
    probabilities of classes `[B, ..., C]`, such as one-hot rows.

    Args:
        from_logits: Bool, whether outputs are logits. `False` reads them as
            probabilities, for a network that ends in a softmax; logits are more exact
            for small probabilities.
        ignore_class: Integer, label of positions that do not count, in training and in
            evaluation, such as 255 for the border of objects; `None` for none.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `name`.

    Example:

        MCDropout(network, likelihood=Categorical(from_logits=False))
    """

    default_metrics = ({"type": "SparseCategoricalAccuracy", "name": "accuracy"},
                       {"type": "ExpectedCalibrationError"}, {"type": "BrierScore"})

    def __init__(self, from_logits=True, ignore_class=None, **kwargs):
        super().__init__(from_logits, **kwargs)
        self.ignore_class = ignore_class

    def log_prob(self, targets, outputs):
        logits, counts = self._logits(outputs), self.counts(targets, outputs)
        if has_class_axis(targets, outputs):
            shares = tf.cast(targets, logits.dtype)
            log_probs = tf.reduce_sum(shares * tf.nn.log_softmax(logits), axis=-1)
        else:
            labels = self.labels(targets, outputs)
            if counts is not None:  # The ignored label may be no index.
                labels = tf.where(counts, labels, 0)
            labels = tf.broadcast_to(labels, tf.shape(logits)[:-1])
            log_probs = -tf.nn.sparse_softmax_cross_entropy_with_logits(
                labels, logits)
        return log_probs if counts is None else tf.where(counts, log_probs, 0.0)

    def labels(self, targets, outputs):
        if has_class_axis(targets, outputs):
            shares = tf.cast(targets, tf.float32)  # Booleans have no largest one.
            return tf.argmax(shares, axis=-1, output_type=tf.int32)
        return super().labels(targets, outputs)

    def counts(self, targets, outputs):
        if self.ignore_class is None:
            return None
        return tf.not_equal(self.labels(targets, outputs), self.ignore_class)

    def prediction(self, draws):
        return ClassPrediction(tf.nn.log_softmax(self._logits(draws)))

    def _logits(self, outputs):
        # Log probabilities are logits; at zero the gradient would be infinite.
        return outputs if self.from_logits else tf.math.log(
            tf.maximum(outputs, keras.config.epsilon()))

    def check_targets(self, targets, output_shape):
        size = output_shape[-1]
        if check_axes(targets, output_shape, (1, size)) > 1:
            check_probabilities(targets)
        else:
            check_classes(targets, size, self.ignore_class)

    def quick_check(self, targets, output_shape):
        size = output_shape[-1]
        if len(targets.shape) == len(output_shape) and 1 < size == targets.shape[-1]:
            return quick_probabilities(targets)
        return quick_classes(targets, size, self.ignore_class)

    def get_config(self):
        return {**super().get_config(), "ignore_class": self.ignore_class}
