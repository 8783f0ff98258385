"""Measures: when they are computed, and the mean over draws."""

import numpy as np
import tensorflow as tf

from bdlzoo.core.measure import log_mean_of, measure


class _Counted:
    def __init__(self):
        self.count = 0

    @measure
    def double(self):
        """Two."""
        self.count += 1
        return tf.constant(2.0)


def test_measure_is_computed_once_and_is_an_array_outside_of_graphs():
    counted = _Counted()
    assert isinstance(counted.double, np.float32) and counted.double == 2.0
    assert counted.count == 1
    assert _Counted.double.__doc__ == "Two."


def test_measure_is_a_tensor_in_a_graph():
    found = []

    @tf.function
    def trace():
        found.append(_Counted().double)
        return found[0]

    assert float(trace()) == 2.0 and tf.is_symbolic_tensor(found[0])


def test_mean_over_draws_does_not_underflow():
    log_probs = tf.constant([[-1000.0, 0.0], [-1001.0, -1.0]])
    expected = np.log((1 + np.exp(-1)) / 2)
    np.testing.assert_allclose(log_mean_of(log_probs),
                               [-1000 + expected, expected], rtol=1e-6)
