"""Variational recurrent layers, and their equations by hand."""

import keras
import numpy as np

from bdlzoo import layers
from bdlzoo.core import noise
from bdlzoo.surgery import conversion

TECHNIQUES = ("Reparameterization", "Flipout")
KINDS = ("LSTM", "GRU", "SimpleRNN")
NAMES = [kind + technique for kind in KINDS for technique in TECHNIQUES]
ROWS, STEPS, WIDTH, UNITS = 4, 5, 3, 2
X = np.random.default_rng(0).normal(size=(ROWS, STEPS, WIDTH)).astype("float32")


def make(name, scale=0.3, **options):
    """A network of one layer, whose scales and biases are not all equal."""
    keras.utils.set_random_seed(1)
    layer = getattr(layers, name)(UNITS, **{"return_sequences": True, **options})
    network = keras.Sequential([keras.Input((None, WIDTH)), layer])
    for part in layer.maps():
        shape = part.kernel.shape
        part.set_kernel_scale(scale * np.linspace(
            0.5, 1.5, shape.num_elements()).reshape(shape))
        if part.bias is not None:
            part.bias.assign(np.linspace(-1.0, 1.0, part.bias.shape[0]))
    conversion.adopt(network)
    return network


def draw(network, x=X, seed=0, **scope):
    with noise.draws(noise.key(seed), **scope):
        return np.asarray(network(x))


def products(network, seed=0, **scope):
    """Functions of inputs and of the state: sums with the kernels of one draw.

    The noise is drawn once, here; the functions know no step.
    """
    return [_product(part, seed, scope) for part in network.layers[0].maps()]


def _product(part, seed, scope):
    bias = 0.0 if part.bias is None else part.bias.numpy()
    with noise.draws(noise.key(seed), **scope):
        draw = noise.current()
        delta = part.perturbations(draw).numpy()
        rows = 1 if draw.coherent else ROWS
        before, after = np.ones((2, rows, 1), "float32")
        if "Flipout" in type(part).__name__ and not draw.coherent:
            before, after = (noise.signs((rows, size), draw.key_of(part, place)).numpy()
                             for size, place in zip(delta.shape, (1, 2)))
    mean = part.kernel.numpy()
    return lambda x: x @ mean + ((x * before) @ delta) * after + bias


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))
