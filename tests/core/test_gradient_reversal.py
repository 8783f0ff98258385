"""Reversal keeps values and turns gradients."""

import numpy as np
import tensorflow as tf

from bdlzoo.core.gradient_reversal import reverse


def test_value_stays_and_gradient_turns():
    x = tf.constant([1.0, -2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = tf.reduce_sum(reverse(x * x) * x)
    np.testing.assert_allclose(value, 1 - 8 + 27)
    # Of the factor behind it x**2, of the one before it -2 x**2.
    np.testing.assert_allclose(tape.gradient(value, x), [-1.0, -4.0, -9.0])
