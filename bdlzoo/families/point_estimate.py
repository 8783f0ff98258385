"""Draws of a posterior that is one point: all draws are the same."""

import tensorflow as tf


def draws(network, inputs, num_samples):
    """Outputs of a network without noise, repeated for each draw, `[S, B, ...]`."""
    outputs = tf.cast(network(inputs, training=False), tf.float32)
    shape = tf.concat([[num_samples], tf.shape(outputs)], axis=0)
    return tf.broadcast_to(outputs, shape)
