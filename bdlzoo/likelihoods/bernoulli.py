"""Bernoulli likelihood: one logit in, 0 or 1 out."""

import keras
import tensorflow as tf
from tensorflow_probability import distributions as tfd

from bdlzoo.core.prediction import BinaryPrediction
from bdlzoo.likelihoods.likelihood import ClassLikelihood, check_classes


@keras.saving.register_keras_serializable(package="bdlzoo")
class Bernoulli(ClassLikelihood):
    """Reads the one network output as the logit of class 1.

    Args:
        **kwargs: See `ClassLikelihood`.
    """

    default_metrics = ({"type": "BinaryAccuracy", "name": "accuracy"},
                {"type": "ExpectedCalibrationError"}, {"type": "BrierScore"})

    def build(self, output_shape):
        if output_shape[-1] != 1:
            raise ValueError("Expected a network with one output, the logit of "
                             "class 1; for several use `categorical`. Received: "
                             f"output_shape={tuple(output_shape)}")

    def log_prob(self, targets, outputs):
        targets = tf.reshape(tf.cast(targets, outputs.dtype), [-1])
        logits = self._logits(outputs)[..., 0]
        return tfd.Bernoulli(logits=logits).log_prob(targets)

    def prediction(self, draws):
        logits = self._logits(draws)
        both = tf.concat([-logits, logits], axis=-1)
        return BinaryPrediction(tf.math.log_sigmoid(both))

    def _logits(self, outputs):
        if self.from_logits:
            return outputs
        tiny = keras.config.epsilon()  # Certainty has no finite logit.
        outputs = tf.clip_by_value(outputs, tiny, 1.0 - tiny)
        return tf.math.log(outputs) - tf.math.log1p(-outputs)

    def check_targets(self, targets, output_shape):
        check_classes(targets, 2)
