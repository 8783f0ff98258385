"""Categorical likelihood: logits in, class index out."""

import keras
import tensorflow as tf
from tensorflow_probability import distributions as tfd

from bdlzoo.core.prediction import ClassPrediction
from bdlzoo.likelihoods.likelihood import ClassLikelihood, check_classes


@keras.saving.register_keras_serializable(package="bdlzoo")
class Categorical(ClassLikelihood):
    """Reads network outputs as logits over classes.

    Args:
        **kwargs: See `ClassLikelihood`.
    """

    default_metrics = ({"type": "SparseCategoricalAccuracy", "name": "accuracy"},
                {"type": "ExpectedCalibrationError"}, {"type": "BrierScore"})

    def log_prob(self, targets, outputs):
        targets = tf.reshape(tf.cast(targets, tf.int32), [-1])
        return tfd.Categorical(logits=self._logits(outputs)).log_prob(targets)

    def prediction(self, draws):
        return ClassPrediction(tf.nn.log_softmax(self._logits(draws)))

    def _logits(self, outputs):
        # Log probabilities are logits; zero would have a gradient without end.
        return outputs if self.from_logits else tf.math.log(
            tf.maximum(outputs, keras.config.epsilon()))

    def check_targets(self, targets, output_shape):
        check_classes(targets, output_shape[-1])
