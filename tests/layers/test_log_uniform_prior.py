"""The log-uniform divergence against its table and its definition."""

import numpy as np
import tensorflow as tf
from scipy import integrate

from bdlzoo.layers import LogUniformPrior
from bdlzoo.layers.log_uniform_prior import log_uniform_kl

TABLE = {1e-4: 5.241, 1e-2: 2.939, 0.25: 1.152, 0.5: 0.741, 1.0: 0.431,
         2.0: 0.236, 20.0: 0.026}


def _divergence(alpha, mean=0.7):
    scale = tf.constant([abs(mean) * alpha**0.5], tf.float32)
    return float(LogUniformPrior().divergence(
        tf.constant([mean]), scale, tf.math.log(scale), None))


def test_table_of_reference():
    for alpha, expected in TABLE.items():
        assert abs(float(log_uniform_kl(np.float32(np.log(alpha)))) - expected) < 1e-3


def test_divergence_depends_on_the_ratio_and_stops_at_eight():
    for mean in (0.7, -0.01):
        assert abs(_divergence(0.5, mean) - 0.741) < 1e-3
    assert abs(_divergence(1e-5) - _divergence(np.exp(-8.0))) < 1e-4


def test_divergence_falls_to_zero():
    values = [_divergence(alpha) for alpha in np.logspace(-3, 3, 40)]
    assert np.all(np.diff(values) < 0) and min(values) >= 0.0


def test_differences_are_those_of_the_definition():
    """KL = -entropy + E log|w| + constant, by quadrature."""
    def exact(alpha):
        scale = alpha**0.5
        log_size, _ = integrate.quad(
            lambda e: np.exp(-e * e / 2) / np.sqrt(2 * np.pi)
            * np.log(abs(1 + scale * e)), -12, 12, limit=400,
            points=[-1 / scale] if scale > 0.1 else None)
        return -np.log(scale) + log_size

    for alpha, other in ((0.05, 0.5), (0.5, 4.0)):
        ours = _divergence(alpha) - _divergence(other)
        assert abs(ours - (exact(alpha) - exact(other))) < 0.02
