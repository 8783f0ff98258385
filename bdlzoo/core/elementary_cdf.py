"""Normal distribution function of sums, products and an exponential.

    erfc(z) = t (a_1 + t (a_2 + ... + t a_5)) exp(-z**2),    t = 1 / (1 + p z),  z >= 0

It is for formats without an error function. The error is below 3e-7, rounding
included.

Reference: Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 7.1.26.
"""

import math

import tensorflow as tf

_P = 0.3275911
_A = (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592, 0.0)


def elementary_cdf(values):
    """Probability of a standard normal number below each of the values."""
    z = tf.abs(values) / math.sqrt(2.0)
    t = 1.0 / (1.0 + _P * z)
    below = 0.5 * tf.math.polyval(list(_A), t) * tf.exp(-tf.square(z))
    return tf.where(values < 0.0, below, 1.0 - below)
