"""Gradient reversal: one loss, which two players pull at from two sides.

    reverse(x) = x,    d reverse(x) / dx = -1

What comes behind it descends on the loss, what comes before it ascends.

Reference: Ganin and Lempitsky, Unsupervised Domain Adaptation by
Backpropagation, ICML 2015.
"""

import tensorflow as tf


@tf.custom_gradient
def reverse(inputs):
    """Returns the inputs, and turns the sign of their gradient."""
    return tf.identity(inputs), lambda gradient: -gradient
