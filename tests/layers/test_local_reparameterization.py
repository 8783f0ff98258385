"""Noise on outputs: finite slopes where nothing varies."""

import numpy as np
import tensorflow as tf

from bdlzoo.core import noise
from tests.layers.variational_cases import make


def test_slope_is_finite_where_inputs_are_zero():
    layer = make("DenseLocalReparameterization")
    x = tf.zeros((3, 5))
    with tf.GradientTape() as tape, noise.draws(noise.key(0)):
        tape.watch(x)
        outputs = layer(x)
        loss = tf.reduce_sum(outputs)
    # No input, no noise: a kink behind it would see either side at random.
    np.testing.assert_array_equal(outputs, tf.broadcast_to(layer.bias, (3, 4)))
    for gradient in tape.gradient(
            loss, [x, layer.kernel.value, layer.kernel_rho.value]):
        assert np.isfinite(gradient).all()
