"""Categorical likelihood of several classes."""

import keras
import tensorflow as tf
from tensorflow_probability import distributions as tfd

from bdlzoo.core.class_prediction import ClassPrediction
from bdlzoo.likelihoods.likelihood import ClassLikelihood, check_classes


@keras.saving.register_keras_serializable(package="bdlzoo")
class Categorical(ClassLikelihood):
    """Reads network outputs as logits over classes.

    Args:
        from_logits: Bool, whether outputs are logits. `False` reads them as
            probabilities, for a network that ends in a softmax; logits are more exact
            for small probabilities.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `name`.

    Example:

        MCDropout(network, likelihood=Categorical(from_logits=False))
    """

    default_metrics = ({"type": "SparseCategoricalAccuracy", "name": "accuracy"},
                       {"type": "ExpectedCalibrationError"}, {"type": "BrierScore"})

    def __init__(self, from_logits=True, **kwargs):
        super().__init__(from_logits, **kwargs)

    def log_prob(self, targets, outputs):
        targets = tf.reshape(tf.cast(targets, tf.int32), [-1])
        return tfd.Categorical(logits=self._logits(outputs)).log_prob(targets)

    def prediction(self, draws):
        return ClassPrediction(tf.nn.log_softmax(self._logits(draws)))

    def _logits(self, outputs):
        # Log probabilities are logits; at zero the gradient would be infinite.
        return outputs if self.from_logits else tf.math.log(
            tf.maximum(outputs, keras.config.epsilon()))

    def check_targets(self, targets, output_shape):
        check_classes(targets, output_shape[-1])
