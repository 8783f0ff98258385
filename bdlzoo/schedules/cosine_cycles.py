"""Learning rates that fall along half a cosine, again and again.

    (a / 2) (cos(pi (t mod L) / L) + 1)

A schedule of Keras: `keras.optimizers.SGD(CosineCycles(0.1, 5000))`.
"""

import math

import keras
import tensorflow as tf

from bdlzoo.core.checks import check_positive


@keras.saving.register_keras_serializable(package="bdlzoo")
class CosineCycles(keras.optimizers.schedules.LearningRateSchedule):
    """Rates that fall to nothing along half a cosine, and start again.

    Args:
        initial_rate: Float, the rate at the start of a cycle.
        cycle_steps: Integer, length of a cycle.
    """

    def __init__(self, initial_rate, cycle_steps):
        check_positive(initial_rate=initial_rate, cycle_steps=cycle_steps)
        self.initial_rate = initial_rate
        self.cycle_steps = int(cycle_steps)

    def phase(self, step):
        """Share of its cycle that is over at a step, in [0, 1)."""
        place = tf.math.floormod(tf.cast(step, tf.int32), self.cycle_steps)
        return tf.cast(place, tf.float32) / self.cycle_steps

    def __call__(self, step):
        fall = 0.5 * (tf.cos(math.pi * self.phase(step)) + 1.0)
        return self.initial_rate * fall

    def get_config(self):
        return {"initial_rate": self.initial_rate, "cycle_steps": self.cycle_steps}
