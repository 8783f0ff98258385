"""Schedule that falls exponentially, down to a floor.

    max(initial exp(-rate t), floor)

It is a schedule of Keras, for temperatures that fall from step to step:
`ExponentialFall(3.0, 1.5e-5, floor=1.0)`.
"""

import keras
import tensorflow as tf


@keras.saving.register_keras_serializable(package="bdlzoo")
class ExponentialFall(keras.optimizers.schedules.LearningRateSchedule):
    """Falls exponentially to a positive floor, and stays there.

    Args:
        initial: Float, the value at step 0.
        rate: Float, relative decrease of the value in a step.
        floor: Float, the smallest value, at most `initial`.

    Example:

        ExponentialFall(3.0, 1.5e-5, floor=1.0)
    """

    def __init__(self, initial, rate, floor):
        if not rate >= 0:
            raise ValueError("Expected a rate of at least 0. Received: "
                             f"rate={rate}")
        if not 0 < floor <= initial:
            raise ValueError("Expected a floor above 0 and at most `initial`. "
                             f"Received: floor={floor}, initial={initial}")
        self.initial = initial
        self.rate = rate
        self.floor = floor

    def __call__(self, step):
        fallen = self.initial * tf.exp(-self.rate * tf.cast(step, tf.float32))
        return tf.maximum(fallen, self.floor)

    def get_config(self):
        return {"initial": self.initial, "rate": self.rate, "floor": self.floor}
