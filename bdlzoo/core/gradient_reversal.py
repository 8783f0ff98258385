"""Gradient reversal, for two players with opposite objectives and one loss.

    reverse(x) = x,    d reverse(x) / dx = -1

Layers after it lower the loss, layers before it raise the loss.

Reference: Ganin and Lempitsky, Unsupervised Domain Adaptation by
Backpropagation, ICML 2015.
"""

import tensorflow as tf


@tf.custom_gradient
def reverse(inputs):
    """Returns the inputs, and changes the sign of their gradient."""
    return tf.identity(inputs), lambda gradient: -gradient
