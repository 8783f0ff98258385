"""Draws of a posterior that is one point: all draws are the same."""

import tensorflow as tf


def draws(network, inputs, num_samples):
    """Outputs of a network without noise, repeated for each draw, `[S, B, ...]`."""
    return draw_parts(network, inputs)(0, num_samples)


def draw_parts(network, inputs):
    """The same for `PredictiveModel.draw_parts`: the network runs once."""
    outputs = tf.cast(network(inputs, training=False), tf.float32)

    def part(first, count):
        del first  # All are equal.
        shape = tf.concat([[count], tf.shape(outputs)], axis=0)
        return tf.broadcast_to(outputs, shape)

    return part
