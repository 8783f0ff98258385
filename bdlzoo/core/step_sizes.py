"""Learning rates that samplers take: they fall, once or again and again.

    PolynomialSteps   a (b + t)**-g        the sum diverges, that of squares does not
    CosineCycles      (a / 2) (cos(pi (t mod L) / L) + 1)

Both are schedules of Keras: `keras.optimizers.SGD(CosineCycles(0.1, 5000))`.
"""

import math

import keras
import tensorflow as tf


@keras.saving.register_keras_serializable(package="bdlzoo")
class PolynomialSteps(keras.optimizers.schedules.LearningRateSchedule):
    """Steps with which Langevin dynamics ends in the posterior itself.

    Args:
        initial_rate: Float, the rate of step 0.
        delay: Float, b: steps after which it begins to fall.
        power: Float, g, above 1/2 and at most 1.
    """

    def __init__(self, initial_rate, delay=1.0, power=0.55):
        _check_positive(initial_rate=initial_rate, delay=delay)
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


@keras.saving.register_keras_serializable(package="bdlzoo")
class CosineCycles(keras.optimizers.schedules.LearningRateSchedule):
    """Rates that fall to nothing along half a cosine, and start again.

    Args:
        initial_rate: Float, the rate at the start of a cycle.
        cycle_steps: Integer, length of a cycle.
    """

    def __init__(self, initial_rate, cycle_steps):
        _check_positive(initial_rate=initial_rate, cycle_steps=cycle_steps)
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


def _check_positive(**values):
    for name, value in values.items():
        if not value > 0:
            raise ValueError(f"Expected a positive number. Received: {name}={value}")
