"""New weights of copies: other for other keys, kept where they do not train."""

import keras
import numpy as np

from bdlzoo.core import initial_weights, noise
from tests.surgery import strange_networks


def _fresh(layer, seed, build=None):
    return initial_weights.fresh(layer, noise.key(seed), build)


def _call(layer):
    layer(keras.Input((5, 8)))


def test_a_layer_that_is_built_by_its_call_gets_new_weights():
    block = strange_networks.transformer().layers[2]
    first, same, other = (_fresh(block, seed, _call) for seed in (0, 0, 1))
    assert [v.shape for v in first] == [tuple(w.shape) for w in block.weights]
    for weight, a, b, c in zip(block.weights, first, same, other):
        np.testing.assert_array_equal(a, b)
        if weight.name == "kernel":
            assert np.abs(a - c).max() > 1e-3
            assert np.abs(a - np.asarray(weight)).max() > 1e-3


def test_the_state_of_pythons_generator_stays():
    import random
    block = strange_networks.transformer().layers[2]
    random.seed(3)
    expected = random.random()
    random.seed(3)
    _fresh(block, 0, _call)
    assert random.random() == expected


def test_frozen_layers_and_adapted_statistics_keep_their_values():
    block = strange_networks.transformer().layers[2]
    block.mlp.trainable = False
    kept = {id(w) for w in block.mlp.weights}
    for weight, value in zip(block.weights, _fresh(block, 0, _call)):
        if id(weight) in kept:
            np.testing.assert_array_equal(value, weight)
    layer = keras.layers.Normalization()
    layer.adapt(np.array([[1.0], [5.0]]))
    np.testing.assert_array_equal(_fresh(layer, 0)[0], [3.0])


def test_a_layer_without_a_config_is_entered():
    class NoConfig(keras.layers.Layer):
        def __init__(self, function):
            super().__init__()
            self.function = function
            self.dense = keras.layers.Dense(3)

        def build(self, shape):
            self.shift = self.add_weight(shape=(3,), initializer="normal")
            self.dense.build(shape)

        def call(self, x):
            return self.function(self.dense(x)) + self.shift

    layer = NoConfig(keras.ops.relu)
    layer.build((None, 4))
    values = {w.path: v for w, v in zip(layer.weights, _fresh(layer, 0))}
    np.testing.assert_array_equal(values[layer.shift.path], layer.shift)
    assert np.abs(values[layer.dense.kernel.path]
                  - np.asarray(layer.dense.kernel)).max() > 1e-3
