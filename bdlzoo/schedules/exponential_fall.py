"""Schedule that falls exponentially, down to a floor.

    max(initial exp(-rate t), floor),    t = step, or every so many steps

It is a schedule of Keras, for temperatures that fall from step to step:
`ExponentialFall(3.0, 1.5e-5, floor=1.0)`.
"""

import keras
import tensorflow as tf

from bdlzoo.core.checks import check_count


@keras.saving.register_keras_serializable(package="bdlzoo")
class ExponentialFall(keras.optimizers.schedules.LearningRateSchedule):
    """Falls exponentially to a positive floor, and stays there.

    Args:
        initial: Float, the value at step 0.
        rate: Float, relative decrease of the value in a step.
        floor: Float, the smallest value, at most `initial`.
        every: Integer, steps between two values; it stays the same between them.

    Example:

        ExponentialFall(3.0, 1.5e-5, floor=1.0)
    """

    def __init__(self, initial, rate, floor, every=1):
        if not rate >= 0:
            raise ValueError("Expected a rate of at least 0. Received: "
                             f"rate={rate}")
        if not 0 < floor <= initial:
            raise ValueError("Expected a floor above 0 and at most `initial`. "
                             f"Received: floor={floor}, initial={initial}")
        check_count("every", every)
        self.initial = initial
        self.rate = rate
        self.floor = floor
        self.every = every

    def __call__(self, step):
        step = tf.cast(step, tf.int32)
        step -= step % self.every
        fallen = self.initial * tf.exp(-self.rate * tf.cast(step, tf.float32))
        return tf.maximum(fallen, self.floor)

    def get_config(self):
        return {"initial": self.initial, "rate": self.rate, "floor": self.floor,
                "every": self.every}
