"""L-infinity ball around inputs, inside the box of allowed inputs.

    at(a) = clip(x + radius * a, low, high),    a in [-1, 1]

It is the set of inputs that an adversary may choose in training.
"""

import typing

import tensorflow as tf


class Ball(typing.NamedTuple):
    """One ball for each row of a batch.

    Args:
        center: Inputs `[B, ...]` in the box.
        radius: Scalar, at least 0.
        low: Float, smallest value of an input.
        high: Float, largest value of an input.
    """

    center: tf.Tensor
    radius: tf.Tensor
    low: float
    high: float

    def at(self, places):
        """Inputs at places of the ball, clipped to the box.

        Args:
            places: Tensor `[B, ...]` or `[S, B, ...]` with values in `[-1, 1]`.

        Returns:
            Tensor like `places`.
        """
        return tf.clip_by_value(self.center + self.radius * places, self.low,
                                self.high)


def slope(gain, inputs):
    """Computes the gradient of a scalar function at inputs.

    Args:
        gain: Function from inputs to a scalar.
        inputs: Tensor `[B, ...]`.

    Returns:
        Tensor like `inputs`.

    Raises:
        ValueError: If there is no gradient, for instance because of a layer that
            rounds.
    """
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        value = gain(inputs)
    found = tape.gradient(value, inputs)
    if found is None:
        raise ValueError(
            "Expected a network with a gradient in its inputs: remove layers that "
            "round, count or look up. Received: no gradient")
    return found
