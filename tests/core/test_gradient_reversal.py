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


def test_factor_scales_the_gradient_and_gets_none():
    x, factor = tf.Variable(2.0), tf.Variable(0.25)
    with tf.GradientTape() as tape:
        value = reverse(x * x, factor * 1.0)
    slope, none = tape.gradient(value, (x, factor))
    np.testing.assert_allclose(slope, -1.0)
    assert none is None and float(value) == 4.0
