"""Bernoulli likelihood of two classes, for networks with one output."""

import keras
import tensorflow as tf
from tensorflow_probability import distributions as tfd

from bdlzoo.core.class_prediction import BinaryPrediction
from bdlzoo.likelihoods.likelihood import ClassLikelihood, check_classes


@keras.saving.register_keras_serializable(package="bdlzoo")
class Bernoulli(ClassLikelihood):
    """Reads the one network output as the logit of class 1.

    Args:
        from_logits: Bool, whether the output is a logit. `False` reads it as a
            probability, for a network that ends in a sigmoid; logits are more exact
            for small probabilities.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `name`.

    Example:

        MCDropout(network, likelihood=Bernoulli(from_logits=False))
    """

    default_metrics = ({"type": "BinaryAccuracy", "name": "accuracy"},
                       {"type": "ExpectedCalibrationError"}, {"type": "BrierScore"})

    def __init__(self, from_logits=True, **kwargs):
        super().__init__(from_logits, **kwargs)

    def build(self, output_shape):
        if output_shape[-1] != 1:
            raise ValueError("Expected a network with one output, the logit of "
                             "class 1; use `categorical` for more. Received: "
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
        tiny = keras.config.epsilon()  # The probabilities 0 and 1 have no finite logit.
        outputs = tf.clip_by_value(outputs, tiny, 1.0 - tiny)
        return tf.math.log(outputs) - tf.math.log1p(-outputs)

    def check_targets(self, targets, output_shape):
        check_classes(targets, 2)
