"""Bernoulli likelihood: one logit in, 0 or 1 out."""

import keras
import tensorflow as tf
from tensorflow_probability import distributions as tfd

from bdlzoo.core.prediction import BinaryPrediction
from bdlzoo.likelihoods.likelihood import Likelihood, check_classes


@keras.saving.register_keras_serializable(package="bdlzoo")
class Bernoulli(Likelihood):
    """Reads the one network output as the logit of class 1."""

    measures = ({"type": "BinaryAccuracy", "name": "accuracy"},
                {"type": "ExpectedCalibrationError"}, {"type": "BrierScore"})

    def build(self, output_shape):
        if output_shape[-1] != 1:
            raise ValueError("Expected a network with one output, the logit of "
                             "class 1; for several use `categorical`. Received: "
                             f"output_shape={tuple(output_shape)}")

    def log_prob(self, targets, outputs):
        targets = tf.reshape(tf.cast(targets, outputs.dtype), [-1])
        return tfd.Bernoulli(logits=outputs[..., 0]).log_prob(targets)

    def prediction(self, draws):
        both = tf.concat([-draws, draws], axis=-1)
        return BinaryPrediction(tf.math.log_sigmoid(both))

    def check_targets(self, targets, output_shape):
        check_classes(targets, 2)
