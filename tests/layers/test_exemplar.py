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
