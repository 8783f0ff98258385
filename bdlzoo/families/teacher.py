"""A teacher: who labels the rows of a domain that has no labels.

    "pass"   a second pass of the network in training, as in the released code of CAT
    "ema"    a network whose weights are averages: a <- decay a + (1 - decay) w

A second pass differs from the first one by its noise, such as dropout. Without noise
both are the same, and there is only one. No gradient flows into a teacher.
"""

import keras
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.surgery import conversion

KINDS = ("pass", "ema")


class Teacher(keras.layers.Layer):
    """Gives outputs for rows without labels.

    Args:
        kind: `"pass"` or `"ema"`.
        decay: Float in [0, 1), share of the average that a step keeps.
        **kwargs: Arguments of `keras.layers.Layer`, such as `name`.
    """

    def __init__(self, kind="pass", decay=0.99, **kwargs):
        super().__init__(**kwargs)
        if kind not in KINDS:
            raise ValueError(f"Expected one of {KINDS}. Received: teacher={kind!r}")
        if not 0.0 <= decay < 1.0:
            raise ValueError("Expected a decay of at least 0 and below 1. "
                             f"Received: teacher_decay={decay}")
        self.kind = kind
        self.decay = decay
        self.averages = []

    def attach(self, network):
        """Makes the averages, which start as the weights of the network."""
        if self.kind == "ema":
            self.averages = [self.add_weight(
                name=f"average_{place}", shape=weight.shape, trainable=False,
                autocast=False, aggregation="only_first_replica",
                initializer=_value_of(weight))
                for place, weight in enumerate(_averaged(network))]
        self.built = True

    def outputs(self, network, x, student, key):
        """Outputs `[T, C]` for rows, without a gradient.

        Args:
            network: Network of the student.
            x: Inputs.
            student: Outputs of the network in training for the same rows.
            key: Key of the noise of a second pass.
        """
        if self.kind == "ema":
            found = self._average_outputs(network, x)
        elif conversion.stochastic_layers(network):
            with noise.draws(key):
                found = tf.cast(network(x, training=True), tf.float32)
        else:
            found = student
        return tf.stop_gradient(found)

    def follow(self, network):
        """Moves the averages towards the weights, after a step."""
        for average, weight in zip(self.averages, _averaged(network)):
            average.assign(self.decay * average + (1.0 - self.decay) * tf.cast(
                tf.convert_to_tensor(weight), tf.float32))

    def _average_outputs(self, network, x):
        """Outputs of the network with the averages in place of its weights."""
        averages = dict(zip(map(id, _averaged(network)), self.averages))
        trained, others = ([tf.convert_to_tensor(averages.get(id(weight), weight))
                            for weight in weights] for weights in (
            network.trainable_variables, network.non_trainable_variables))
        outputs, _ = network.stateless_call(trained, others, x, training=False)
        return tf.cast(outputs, tf.float32)


def _averaged(network):
    """Weights and statistics of a network that are floats."""
    return [w for w in network.variables if keras.backend.is_float_dtype(w.dtype)]


def _value_of(weight):
    return lambda shape, dtype: tf.cast(tf.reshape(weight, shape), dtype)
