"""Schedules of learning rates for samplers.

    PolynomialSteps   a (b + t)**-g
    CosineCycles      (a / 2) (cos(pi (t mod L) / L) + 1)

Both are schedules of Keras: `keras.optimizers.SGD(CosineCycles(0.1, 5000))`. With
polynomial steps the sum of steps diverges, and the sum of their squares is finite.
"""

import math

import keras
import tensorflow as tf


@keras.saving.register_keras_serializable(package="bdlzoo")
class PolynomialSteps(keras.optimizers.schedules.LearningRateSchedule):
    """Falls as a power of the step, so that Langevin dynamics reaches the posterior.

    Args:
        initial_rate: Float, the rate at step 0.
        delay: Float, the b of the formula, in steps; the rate falls slowly before it.
        power: Float, the g of the formula, above 1/2 and at most 1.

    Example:

        keras.optimizers.SGD(PolynomialSteps(0.01, delay=1000.0))
    """

    def __init__(self, initial_rate, delay=1.0, power=0.55):
        _check_positive(initial_rate=initial_rate, delay=delay)
        if not 0.5 < power <= 1.0:
            raise ValueError("Expected a power above 1/2, so that the sum of squares "
                             "is finite, and at most 1, so that the sum is infinite. "
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
    """Falls to 0 along half a cosine in each cycle, and starts again.

    Args:
        initial_rate: Float, the rate at the start of a cycle.
        cycle_steps: Integer, length of a cycle in steps.

    Example:

        keras.optimizers.SGD(CosineCycles(0.1, cycle_steps=5000))
    """

    def __init__(self, initial_rate, cycle_steps):
        _check_positive(initial_rate=initial_rate, cycle_steps=cycle_steps)
        self.initial_rate = initial_rate
        self.cycle_steps = int(cycle_steps)

    def phase(self, step):
        """Position of a step in its cycle, in [0, 1)."""
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
