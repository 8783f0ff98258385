"""An L-infinity ball around inputs, inside the box that inputs live in.

    at(a) = clip(x + radius * a, low, high),    a in [-1, 1]

What the adversary of a model in training may do, and the slope he climbs by.
"""

import typing

import tensorflow as tf


class Ball(typing.NamedTuple):
    """One ball for each row of a batch.

    Args:
        center: Inputs `[B, ...]` in the box.
        radius: Scalar, zero or more.
        low: Float, smallest value of an input.
        high: Float, largest value of an input.
    """

    center: tf.Tensor
    radius: tf.Tensor
    low: float
    high: float

    def at(self, places):
        """Inputs at places in `[-1, 1]` of the ball, cut by the box.

        Args:
            places: Tensor `[B, ...]`, or `[S, B, ...]`.
        """
        return tf.clip_by_value(self.center + self.radius * places, self.low,
                                self.high)


def slope(gain, inputs):
    """Gradient of a scalar function at inputs.

    Raises:
        ValueError: Where there is none, because of a layer that rounds or counts.
    """
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        value = gain(inputs)
    found = tape.gradient(value, inputs)
    if found is None:
        raise ValueError(
            "Expected a network that can be differentiated in its inputs: take out "
            "layers that round, count or look up. Received: no gradient")
    return found
