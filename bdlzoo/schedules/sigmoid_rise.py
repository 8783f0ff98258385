"""Schedule that rises from 0 to 1 as the upper half of a sigmoid.

    2 / (1 + exp(-sharpness t / length)) - 1

It is a schedule of Keras, for an adversary that must not disturb a network which knows
nothing yet: it is 0 at the first step, and 0.9999 at `length` for a sharpness of 10.
"""

import keras
import tensorflow as tf

from bdlzoo.core.checks import check_positive


@keras.saving.register_keras_serializable(package="bdlzoo")
class SigmoidRise(keras.optimizers.schedules.LearningRateSchedule):
    """Rises from 0 to 1.

    Args:
        length: Number of steps, above 0.
        sharpness: Float above 0; the value at `length` is `tanh(sharpness / 2)`.

    Example:

        SigmoidRise(length=40000)
    """

    def __init__(self, length, sharpness=10.0):
        check_positive(length=length, sharpness=sharpness)
        self.length = length
        self.sharpness = sharpness

    def __call__(self, step):
        share = tf.cast(step, tf.float32) / float(self.length)
        return tf.tanh(0.5 * self.sharpness * share)  # The same, and exact near 0.

    def get_config(self):
        return {"length": self.length, "sharpness": self.sharpness}
