"""Ordinal likelihood of classes in an order, by cumulative logits.

    P(y <= k) = sigmoid(cut_k - output),   cut_0 < ... < cut_{K-2}  learnt

One output places a row on a line, and the cuts divide the line into classes. With two
classes and a cut at 0 it is `Bernoulli`.

Reference: McCullagh, Regression Models for Ordinal Data, JRSS B 1980.
"""

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.core.class_prediction import ClassPrediction
from bdlzoo.likelihoods.density_likelihood import check_shape, like_outputs
from bdlzoo.likelihoods.likelihood import (
    ClassLikelihood,
    check_classes,
    quick_classes,
)


@keras.saving.register_keras_serializable(package="bdlzoo")
class Ordinal(ClassLikelihood):
    """Reads the one network output as a place on the line of ordered classes.

    Args:
        num_classes: Integer, number of classes; labels are 0, 1, ... in their order.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `name`.

    Example:

        MCDropout(network, likelihood=Ordinal(num_classes=5))
    """

    default_metrics = ({"type": "SparseCategoricalAccuracy", "name": "accuracy"},
                       {"type": "ExpectedCalibrationError"}, {"type": "BrierScore"})

    def __init__(self, num_classes, **kwargs):
        super().__init__(**kwargs)
        if num_classes != int(num_classes) or num_classes < 2:
            raise ValueError("Expected at least two classes. Received: "
                             f"num_classes={num_classes}")
        self.num_classes = num_classes

    def build(self, output_shape):
        if output_shape[-1] != 1:
            raise ValueError(
                "Expected a network with one output, the place on the line of "
                "classes; use `categorical` for classes without an order. Received: "
                f"output_shape={tuple(output_shape)}")
        shares = np.arange(1, self.num_classes) / self.num_classes
        cuts = np.log(shares) - np.log1p(-shares)  # All classes are equally probable.
        self.first_cut = self.add_weight(
            name="first_cut", shape=(1,), autocast=False,
            initializer=keras.initializers.Constant(cuts[0]))
        self.log_gaps = self.add_weight(
            name="log_gaps", shape=(self.num_classes - 2,), autocast=False,
            initializer=lambda shape, dtype: tf.constant(np.log(np.diff(cuts)), dtype))

    def cuts(self):
        """Places between the classes, `[K - 1]`, in rising order."""
        return tf.cumsum(tf.concat([self.first_cut, tf.exp(self.log_gaps)], axis=0))

    def log_probs(self, outputs):
        """Log probabilities of all classes, `[..., K]`, from outputs `[..., 1]`."""
        places = tf.cast(self.cuts(), outputs.dtype) - outputs  # [..., K - 1]
        below, above = tf.math.log_sigmoid(places), tf.math.log_sigmoid(-places)
        # sigmoid(b) - sigmoid(a) = sigmoid(b) sigmoid(-a) (1 - exp(a - b)), without
        # a difference of two numbers near 1.
        gaps = tf.cast(tf.exp(self.log_gaps), outputs.dtype)
        between = below[..., 1:] + above[..., :-1] + tf.math.log(-tf.math.expm1(-gaps))
        return tf.concat([below[..., :1], between, above[..., -1:]], axis=-1)

    def log_prob(self, targets, outputs):
        outputs = tf.convert_to_tensor(outputs)
        labels = like_outputs(targets, outputs, 1)[..., 0]  # [1, B, ...]
        chosen = tf.one_hot(tf.cast(labels, tf.int32), self.num_classes,
                            dtype=outputs.dtype)
        return tf.reduce_sum(chosen * self.log_probs(outputs), axis=-1)

    def prediction(self, draws):
        return ClassPrediction(self.log_probs(tf.convert_to_tensor(draws)))

    def check_targets(self, targets, output_shape):
        check_shape(targets, output_shape, 1)
        check_classes(np.ravel(targets), self.num_classes)

    def quick_check(self, targets, output_shape):
        return quick_classes(targets, self.num_classes)

    def get_config(self):
        config = super().get_config()
        del config["from_logits"]  # The output is never a probability.
        return {**config, "num_classes": self.num_classes}
