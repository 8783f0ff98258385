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
        loss = tf.reduce_sum(layer(x))
    for gradient in tape.gradient(
            loss, [x, layer.kernel.value, layer.kernel_rho.value]):
        assert np.isfinite(gradient).all()
