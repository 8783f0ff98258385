"""The layer at which a gradient ends is named, nested or not."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.surgery.gradient_path import blocking_layer

X = np.random.default_rng(0).uniform(size=(4, 3)).astype("float32")


class Steps(keras.layers.Layer):
    """Rounds: TensorFlow has no gradient of it at all."""

    def call(self, inputs):
        return tf.round(4.0 * inputs)


class Flat(keras.layers.Layer):
    """A gradient that is zero everywhere."""

    def call(self, inputs):
        return tf.sign(inputs)


@pytest.mark.parametrize("layer", [Steps, Flat])
@pytest.mark.parametrize("nested", [False, True])
def test_the_layer_that_stops_the_gradient_is_found(layer, nested):
    stops = layer(name="stops")
    inner = keras.Sequential([keras.layers.Dense(4), stops]) if nested else None
    middle = [inner] if nested else [keras.layers.Dense(4), stops]
    network = keras.Sequential([keras.Input((3,)), *middle, keras.layers.Dense(2)])
    assert blocking_layer(network, X) is stops


def test_a_way_around_is_a_way():
    inputs = keras.Input((3,))
    hidden = keras.layers.Add()([Flat()(inputs), inputs])
    outputs = keras.layers.Dense(2)(hidden)
    assert blocking_layer(keras.Model(inputs, outputs), X) is None


def test_subclassed_network_hides_its_layers():
    class Own(keras.Model):
        def call(self, inputs):
            return tf.sign(inputs)

    assert blocking_layer(Own(), X) is None
