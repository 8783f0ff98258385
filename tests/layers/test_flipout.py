"""Flipout: what it is for is a gradient of less variance."""

import numpy as np
import tensorflow as tf

from bdlzoo.core import noise
from tests.layers.variational_cases import draw, make


def _gradient_variance(name, x, draws=300):
    """Trace of the covariance of the gradient of a mean over the batch."""
    layer = make(name, inputs=x)

    def gradient(key):
        with tf.GradientTape() as tape, noise.draws(key):
            loss = tf.reduce_mean(layer(x) ** 2)
        return tape.gradient(loss, layer.kernel.value)

    gradients = tf.function(lambda keys: tf.map_fn(
        gradient, keys, fn_output_signature=tf.float32))(
            noise.split(noise.key(0), draws))
    return np.var(gradients, axis=0).sum()


def test_gradient_varies_less_than_with_a_shared_draw():
    """Shared above Flipout above exemplar; the first gap is near the batch."""
    x = np.random.default_rng(0).normal(size=(32, 5)).astype("float32")
    shared, flipout, exemplar = (_gradient_variance(f"Dense{t}", x) for t in (
        "Reparameterization", "Flipout", "Exemplar"))
    assert shared > 5 * flipout
    assert flipout > 0.9 * exemplar


def test_inputs_are_turned_as_well_as_outputs():
    """With signs of outputs alone, equal rows would have noise of equal size."""
    x = np.ones((2, 5), "float32")
    layer = make("DenseFlipout", inputs=x)
    first, second = np.abs(draw(layer, x)[0] - layer(x).numpy())
    assert np.abs(first - second).max() > 1e-3
