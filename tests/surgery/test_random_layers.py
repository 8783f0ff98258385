"""Random layers of Keras with the noise of the zoo."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import held, noise
from bdlzoo.surgery import random_layers

X = np.random.default_rng(0).uniform(size=(6, 12, 12, 3)).astype("float32")


def _changed(layer, seed, x=X, jit=False):
    function = tf.function(lambda x, key: random_layers.changed(layer, x, key),
                           jit_compile=jit)
    return function(tf.constant(x), noise.key(seed, noise.TRAIN)).numpy()


def _layers():
    layers = keras.layers
    return [layers.RandomTranslation(0.3, 0.3), layers.RandomRotation(0.2),
            layers.RandomErasing(value_range=(0.0, 1.0)),  # Normal numbers.
            layers.RandAugment(value_range=(0.0, 1.0)),  # Integers.
            layers.GaussianNoise(0.3),
            keras.Sequential([layers.RandomFlip(), layers.RandomContrast(0.5)])]


@pytest.mark.parametrize("place", [
    0, *(pytest.param(place, marks=pytest.mark.slow) for place in range(1, 6))])
def test_noise_is_a_function_of_the_key(place):
    """Also of another layer of the same kind, whose generator has another state."""
    first, second = _layers()[place], _layers()[place]
    for layer in (first, second):
        random_layers.adopt(layer)
    found = _changed(first, 1)
    np.testing.assert_array_equal(_changed(first, 1), found)
    np.testing.assert_array_equal(_changed(second, 1), found)
    others = [_changed(first, seed) for seed in range(2, 8)]
    assert any((other != found).any() for other in others)
    assert (found != X).any()


def test_two_numbers_of_a_layer_differ():
    layer = keras.layers.RandomTranslation(0.5, 0.5)
    random_layers.adopt(layer)
    with noise.draws(noise.key(1)), held.values():
        found = layer.get_random_transformation(X)
    right, down = np.asarray(found["translations"]).T
    assert (down != right).all() and np.ptp(down) > 0


def test_uniform_numbers_are_in_their_range():
    layer = keras.layers.RandomBrightness((0.2, 0.4), value_range=(0.0, 9.0))
    random_layers.adopt(layer)
    shift = (_changed(layer, 1, X) - X) / 9.0
    assert 0.2 <= shift.min() and shift.max() <= 0.4 and np.ptp(shift) > 0.05


def test_xla_gives_the_same():
    layer = keras.layers.RandomBrightness(0.3, value_range=(0.0, 1.0))
    random_layers.adopt(layer)
    np.testing.assert_allclose(_changed(layer, 1), _changed(layer, 1, jit=True),
                               atol=1e-6)


def test_gaussian_noise_has_its_scale_and_is_off_at_prediction():
    layer = keras.layers.GaussianNoise(0.5)
    random_layers.adopt(layer)
    x = np.zeros([4, 50, 50, 1], "float32")
    assert _changed(layer, 1, x).std() == pytest.approx(0.5, rel=0.03)
    with noise.draws(noise.key(1)):
        np.testing.assert_array_equal(layer(x, training=False), x)


def test_outside_of_a_scope_layers_are_as_before():
    layer = keras.layers.RandomBrightness(0.3, value_range=(0.0, 1.0), seed=1)
    expected = keras.layers.RandomBrightness(0.3, value_range=(0.0, 1.0), seed=1)
    random_layers.adopt(layer)
    np.testing.assert_array_equal(layer(X), expected(X))


class Own(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.generator = keras.random.SeedGenerator(0)

    def call(self, inputs):
        return inputs + keras.random.normal(inputs.shape, seed=self.generator)


@pytest.mark.parametrize("layer, words", [
    (Own(), "type Own, which has a random generator"),
    (keras.layers.MixUp(), "type MixUp, which mixes the rows"),
    (keras.layers.AugMix(value_range=(0, 1)), "Python's `random`"),
    (keras.layers.RandomElasticTransform(), "hands its generator on")])
def test_layers_that_cannot_be_reached_are_refused(layer, words):
    with pytest.raises(ValueError, match=words):
        random_layers.adopt(keras.Sequential([layer]))


def test_laws_that_the_zoo_has_not_are_refused():
    layer = keras.layers.RandomBrightness(0.3)
    random_layers.adopt(layer)
    with noise.draws(noise.key(1)), pytest.raises(ValueError, match="from `beta`"):
        layer.backend.random.beta([3], 1.0, 1.0)
