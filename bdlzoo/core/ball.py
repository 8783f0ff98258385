"""An L-infinity ball around inputs, inside the box that inputs live in.

    at(a)      = clip(x + radius * a, low, high),              a in [-1, 1]
    project(z) = clip(clip(z, x - radius, x + radius), low, high)
    ascend     : z <- project(z + step_size * sign(grad gain(z)))

What adversarial training climbs in. Gains are sums over rows, so that rows do
not scale one another.
"""

import typing

import tensorflow as tf

from bdlzoo.core import noise


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

    def project(self, inputs):
        """Ball first: the box, clipped last, then holds exactly."""
        inputs = tf.clip_by_value(inputs, self.center - self.radius,
                                  self.center + self.radius)
        return tf.clip_by_value(inputs, self.low, self.high)

    def uniform(self, key):
        """A place of each row drawn evenly from the ball."""
        return self.at(2.0 * noise.uniform(tf.shape(self.center), key) - 1.0)

    def ascend(self, gain, start, step_size, num_steps):
        """Climbs by steps of one length; returns inputs without a gradient.

        Args:
            gain: Function of inputs, returns a scalar.
            start: Inputs to start from.
            step_size: Scalar.
            num_steps: Integer.
        """
        def step(count, inputs):
            moved = inputs + step_size * tf.sign(slope(gain, inputs))
            return count + 1, self.project(moved)

        _, found = tf.while_loop(lambda count, _: count < num_steps, step,
                                 (0, start), parallel_iterations=1)
        return tf.stop_gradient(found)


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
