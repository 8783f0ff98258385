"""Gradient reversal, for two players with opposite objectives and one loss.

    reverse(x, factor) = x,    d reverse(x, factor) / dx = -factor

Layers after it lower the loss, layers before it raise the loss, `factor` times as fast.

Reference: Ganin and Lempitsky, Unsupervised Domain Adaptation by
Backpropagation, ICML 2015.
"""

import tensorflow as tf


def reverse(inputs, factor=1.0):
    """Returns the inputs, and multiplies their gradient by `-factor`.

    Args:
        inputs: Tensor.
        factor: Float or scalar tensor, which gets no gradient.
    """
    @tf.custom_gradient
    def same(tensor):
        return tf.identity(tensor), lambda gradient: -tf.cast(
            factor, gradient.dtype) * gradient

    return same(inputs)
