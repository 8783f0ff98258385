"""Schedule that rises from almost 0 to 1, after a start at 0.

    exp(-sharpness (1 - min((t - start) / length, 1)))     from step `start` on
    0                                                      before it

It is a schedule of Keras, for terms of a loss that must wait until a network has
learnt something: at `start` it is `exp(-sharpness)`, and 1 from `start + length` on.
"""

import keras
import tensorflow as tf

from bdlzoo.core.checks import check_positive


@keras.saving.register_keras_serializable(package="bdlzoo")
class ExponentialRise(keras.optimizers.schedules.LearningRateSchedule):
    """Stays at 0, then rises exponentially to 1.

    Args:
        start: Number of steps at 0.
        length: Number of steps of the rise, above 0.
        sharpness: Float above 0; the rise begins at `exp(-sharpness)`.

    Example:

        ExponentialRise(start=5000, length=10000)
    """

    def __init__(self, start, length, sharpness=10.0):
        check_positive(length=length, sharpness=sharpness)
        if not start >= 0:
            raise ValueError("Expected a start of at least 0. Received: "
                             f"start={start}")
        self.start = start
        self.length = length
        self.sharpness = sharpness

    def __call__(self, step):
        passed = tf.cast(step, tf.float32) - float(self.start)
        left = 1.0 - tf.minimum(passed / float(self.length), 1.0)
        return tf.where(passed >= 0.0, tf.exp(-self.sharpness * left), 0.0)

    def get_config(self):
        return {"start": self.start, "length": self.length,
                "sharpness": self.sharpness}
