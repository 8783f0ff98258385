"""Bernoulli likelihood of two classes, for labels that are yes or no.

    log p(y | outputs) = y log s + (1 - y) log(1 - s),    s = sigmoid(outputs)

With outputs `[B, ..., 1]` a position has one label. With `[B, ..., L]` it has L labels
of which any may hold (multi-label); each of them is a data point.
"""

import keras
import tensorflow as tf

from bdlzoo.core.class_prediction import BinaryPrediction, MultiLabelPrediction
from bdlzoo.likelihoods.likelihood import (
    ClassLikelihood,
    check_axes,
    check_classes,
    quick_classes,
)


@keras.saving.register_keras_serializable(package="bdlzoo")
class Bernoulli(ClassLikelihood):
    """Reads network outputs as logits of class 1, one for each label.

    Args:
        from_logits: Bool, whether the outputs are logits. `False` reads them as
            probabilities, for a network that ends in a sigmoid; logits are more exact
            for small probabilities.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `name`.

    Example:

        MCDropout(network, likelihood=Bernoulli(from_logits=False))
    """

    default_metrics = ({"type": "BinaryAccuracy", "name": "accuracy"},
                       {"type": "ExpectedCalibrationError"}, {"type": "BrierScore"})

    def __init__(self, from_logits=True, **kwargs):
        super().__init__(from_logits, **kwargs)

    def log_prob(self, targets, outputs):
        logits = _squeezed(self._logits(outputs))  # [S, B, ...]
        labels = tf.cast(self.labels(targets, outputs), logits.dtype)
        labels = tf.broadcast_to(labels, tf.shape(logits))
        return -tf.nn.sigmoid_cross_entropy_with_logits(labels, logits)

    def labels(self, targets, outputs):
        each = _squeezed(outputs)
        sizes = tf.shape(each)[1 if len(outputs.shape) > 2 else 0:]
        return tf.reshape(tf.cast(targets, tf.int32), sizes)

    def prediction(self, draws):
        logits = _squeezed(self._logits(draws))
        kind = BinaryPrediction if draws.shape[-1] == 1 else MultiLabelPrediction
        return kind(tf.math.log_sigmoid(tf.stack([-logits, logits], axis=-1)))

    def _logits(self, outputs):
        if self.from_logits:
            return outputs
        tiny = keras.config.epsilon()  # The probabilities 0 and 1 have no finite logit.
        outputs = tf.clip_by_value(outputs, tiny, 1.0 - tiny)
        return tf.math.log(outputs) - tf.math.log1p(-outputs)

    def check_targets(self, targets, output_shape):
        check_axes(targets, output_shape, output_shape[-1:])
        check_classes(targets, 2)

    def quick_check(self, targets, output_shape):
        return quick_classes(targets, 2)


def _squeezed(outputs):
    """Outputs without a last axis of size 1, where a position has one label."""
    return outputs[..., 0] if outputs.shape[-1] == 1 else outputs
