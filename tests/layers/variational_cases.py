"""All variational layers with inputs they take, and draws of their outputs."""

import keras
import numpy as np
import tensorflow as tf

from bdlzoo import layers
from bdlzoo.core import noise

TECHNIQUES = ("Reparameterization", "Flipout", "LocalReparameterization",
              "Exemplar", "VariationalDropout")
# Arguments of the layer and shape of its inputs.
MAPS = {
    "Dense": (dict(units=4), (3, 5)),
    "Conv1D": (dict(filters=2, kernel_size=3), (3, 6, 2)),
    "Conv2D": (dict(filters=2, kernel_size=2), (3, 4, 3, 2)),
    "Conv3D": (dict(filters=2, kernel_size=2), (3, 3, 3, 2, 2)),
    "DepthwiseConv2D": (dict(kernel_size=2, depth_multiplier=2), (3, 4, 3, 2)),
    "Embedding": (dict(input_dim=7, output_dim=3), (3, 4)),
    "EinsumDense": (dict(equation="abc,cde->abde", output_shape=(None, 2, 2),
                         bias_axes="de"), (3, 4, 5)),
}
NAMES = [name + technique for name in MAPS for technique in TECHNIQUES
         if hasattr(layers, name + technique)]


def map_of(name):
    return max((m for m in MAPS if name.startswith(m)), key=len)


def inputs_of(name, seed=0):
    generator = np.random.default_rng(seed)
    shape = MAPS[map_of(name)][1]
    if name.startswith("Embedding"):
        return generator.integers(0, 7, shape)
    return generator.normal(size=shape).astype("float32")


def make(name, scale=0.3, inputs=None, **options):
    """A built layer with a bias and posterior scales that are not all equal."""
    keras.utils.set_random_seed(1)
    layer = getattr(layers, name)(**{**MAPS[map_of(name)][0], **options})
    inputs = inputs_of(name) if inputs is None else inputs
    layer.build(inputs.shape)
    layer.noise_salt = 3
    size = np.prod(layer.kernel.shape)
    layer.set_kernel_scale(scale * np.linspace(0.5, 1.5, size).reshape(
        layer.kernel.shape))
    if getattr(layer, "bias", None) is not None:
        layer.bias.assign(np.linspace(-1.0, 1.0, np.prod(layer.bias.shape)).reshape(
            layer.bias.shape))
    return layer


def draw(layer, inputs, count=1, seed=0, **scope):
    """`count` draws of the outputs, `[count, B, ...]`, each with own weights."""
    tall = np.concatenate([inputs] * count)
    with noise.draws(noise.key(seed), count=count, **scope):
        outputs = layer(tf.constant(tall))
    return np.stack(np.split(outputs.numpy(), count))


def kernel_jacobian(layer, inputs):
    """Derivative of the outputs by the kernel: they are linear in it."""
    with tf.GradientTape() as tape:
        outputs = layer(tf.constant(inputs))
    return tape.jacobian(outputs, layer.kernel.value).numpy()


def beside_keras(name, inputs, *arguments, **options):
    """Mean outputs of a layer, and those of Keras' layer with the same weights."""
    layer = getattr(layers, name)(*arguments, **options)
    stock = getattr(keras.layers, map_of(name))(*arguments, **options)
    outputs = [each(tf.constant(inputs)) for each in (stock, layer)]
    stock.set_weights(layer.get_weights()[:len(stock.weights)])
    shared = stock.get_config().keys() - {"name"}
    assert {key: layer.get_config()[key] for key in shared} == {
        key: stock.get_config()[key] for key in shared}
    return outputs[1].numpy(), stock(tf.constant(inputs)).numpy()
