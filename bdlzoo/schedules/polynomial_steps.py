"""Learning rates with which Langevin dynamics ends in the posterior itself.

    a (b + t)**-g        the sum diverges, that of squares does not

A schedule of Keras: `keras.optimizers.SGD(PolynomialSteps(0.05, delay=1000))`.
"""

import keras
import tensorflow as tf

from bdlzoo.core.checks import check_positive


@keras.saving.register_keras_serializable(package="bdlzoo")
class PolynomialSteps(keras.optimizers.schedules.LearningRateSchedule):
    """Steps with which Langevin dynamics ends in the posterior itself.

    Args:
        initial_rate: Float, the rate of step 0.
        delay: Float, b: steps after which it begins to fall.
        power: Float, g, above 1/2 and at most 1.
    """

    def __init__(self, initial_rate, delay=1.0, power=0.55):
        check_positive(initial_rate=initial_rate, delay=delay)
        if not 0.5 < power <= 1.0:
            raise ValueError("Expected a power above 1/2, where the sum of squares "
                             "is finite, and at most 1, where the sum is not. "
                             f"Received: power={power}")
        self.initial_rate = initial_rate
        self.delay = delay
        self.power = power

    def __call__(self, step):
        fall = 1.0 + tf.cast(step, tf.float32) / self.delay
        return self.initial_rate * tf.pow(fall, -self.power)

    def get_config(self):
        return {"initial_rate": self.initial_rate, "delay": self.delay,
                "power": self.power}
