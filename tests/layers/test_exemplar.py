"""A weight draw for each row of images."""

import numpy as np
import tensorflow as tf

from bdlzoo.core import noise
from tests.layers.variational_cases import draw, inputs_of, make


def test_each_image_has_a_kernel():
    layer, x = make("Conv2DExemplar"), inputs_of("Conv2D")
    outputs = draw(layer, x)[0]
    with noise.draws(noise.key(0)):
        kernels = layer.draw_kernels(noise.current(), len(x))
    for row in range(len(x)):
        expected = tf.nn.conv2d(x[row:row + 1], kernels[row], 1, "VALID")
        np.testing.assert_allclose(
            outputs[row:row + 1], expected + layer.bias.value, atol=1e-5)
    assert layer.independent_rows


def test_gradients_are_those_of_a_loop_of_convolutions():
    """Of inputs, means, log-scales and bias, strides and padding among it."""
    x = tf.constant(inputs_of("Conv2D"))
    layer = make("Conv2DExemplar", inputs=x, strides=2, padding="same")
    parts = [layer.kernel.value, layer.kernel_rho.value, layer.bias.value]
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        with noise.draws(noise.key(0)):
            loss = tf.reduce_sum(tf.sin(layer(x)))
            kernels = layer.draw_kernels(noise.current(), len(x))
        rows = [tf.nn.conv2d(x[row:row + 1], kernels[row], 2, "SAME")
                for row in range(len(x))]
        looped = tf.reduce_sum(tf.sin(tf.concat(rows, 0) + layer.bias.value))
    np.testing.assert_allclose(loss, looped, rtol=1e-5)
    for a, b in zip(tape.gradient(loss, [x, *parts]),
                    tape.gradient(looped, [x, *parts]), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-5)


def test_without_room_it_is_flipout():
    layer, x = make("Conv2DExemplar"), inputs_of("Conv2D")
    twin = make("Conv2DFlipout")
    layer.crowded = True
    np.testing.assert_array_equal(draw(layer, x), draw(twin, x))
    assert not layer.independent_rows
    dense, rows = make("DenseExemplar"), inputs_of("Dense")
    expected = draw(dense, rows)
    dense.crowded = True  # It holds no kernels: there is always room.
    np.testing.assert_array_equal(draw(dense, rows), expected)
