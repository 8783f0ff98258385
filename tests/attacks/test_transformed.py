"""Expectation over random transformations."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.attacks import FGSM, PGD, SPSA, Transformed
from bdlzoo.core import noise
from bdlzoo.methods import MCDropout
from bdlzoo.surgery import random_layers

RNG = np.random.default_rng(0)
X = RNG.uniform(0.2, 0.8, size=(4, 6, 6, 1)).astype("float32")
Y = np.array([0, 1, 0, 1])


def _network():
    keras.utils.set_random_seed(0)
    return keras.Sequential([keras.Input((6, 6, 1)), keras.layers.Flatten(),
                             keras.layers.Dense(2)])


def test_without_transformations_the_attack_is_the_plain_one():
    network = _network()
    still = Transformed(network, keras.layers.GaussianNoise(0.0))
    attack = PGD(0.1, 0.03, 5, num_samples=2)
    np.testing.assert_allclose(attack(still, X, Y), attack(network, X, Y), atol=1e-6)


def test_gradient_is_that_of_the_mean_probability():
    """Of brighter and darker images, drawn with the zoo's own noise."""
    network = _network()
    camera = Transformed(network, keras.layers.RandomBrightness(0.5, (0.0, 1.0)))
    key = noise.key(3)
    draws = camera.draw(tf.constant(X), 5, key)
    assert draws.shape == (5, 4, 2)
    assert np.std(draws, axis=0).max() > 0.01
    np.testing.assert_array_equal(draws, camera.draw(tf.constant(X), 5, key))
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        probs = tf.reduce_mean(tf.nn.softmax(camera.draw(x, 5, key)), axis=0)
        loss = -tf.reduce_sum(tf.math.log(tf.gather(probs, Y, batch_dims=1)))
    np.testing.assert_allclose(
        FGSM(0.1, num_samples=5).gradient(camera, tf.constant(X), tf.constant(Y), key),
        tape.gradient(loss, x), atol=1e-5)


@pytest.mark.parametrize("attack", [
    FGSM(0.1, num_samples=3), SPSA(0.1, num_steps=2, num_queries=8, num_samples=3)])
def test_attacks_of_all_kinds_take_a_model_of_the_zoo(attack):
    model = MCDropout(keras.Sequential([
        keras.Input((6, 6, 1)), keras.layers.Flatten(), keras.layers.Dropout(0.3),
        keras.layers.Dense(2)]), seed=0)
    camera = Transformed(model, keras.Sequential([
        keras.layers.RandomTranslation(0.2, 0.2), keras.layers.GaussianNoise(0.05)]))
    moved = attack(camera, X, Y, seed=1)
    assert 0 < np.abs(moved - X).max() <= 0.1 + 1e-6
    np.testing.assert_array_equal(moved, attack(camera, X, Y, seed=1))
    assert camera.labels(moved, 4).shape == (4,)


def test_models_of_all_kinds_draw_for_what_they_are_shown():
    model = MCDropout(keras.Sequential([
        keras.Input((6, 6, 1)), keras.layers.Flatten(), keras.layers.Dropout(0.3),
        keras.layers.Dense(2)]), seed=0)
    camera = Transformed(model, keras.layers.RandomBrightness(0.5, (0.0, 1.0)))
    x, key = tf.constant(X), noise.key(5)
    camera.build_once(x)
    expected = [model.draw(random_layers.changed(
        camera.transforms, x, noise.fold_in(one, 0)), 1, noise.fold_in(one, 1))[0]
        for one in noise.split(key, 3)]
    np.testing.assert_allclose(camera.draw(x, 3, key), expected, atol=1e-6)


def test_an_attack_in_expectation_survives_translations_better():
    """The class is the side with the bright bar: a plain attack hits single pixels."""
    generator = np.random.default_rng(1)
    y = np.arange(64) % 2
    x = 0.1 * generator.uniform(size=(64, 8, 8, 1))
    for row, place in enumerate(generator.integers(1, 3, size=64)):
        x[row, :, place + 4 * y[row]] += 0.5
    x = x.astype("float32")
    keras.utils.set_random_seed(0)
    network = keras.Sequential([keras.Input((8, 8, 1)), keras.layers.Flatten(),
                                keras.layers.Dense(16, activation="relu"),
                                keras.layers.Dense(2)])
    network.compile("adam", keras.losses.SparseCategoricalCrossentropy(True))
    network.fit(x, y, epochs=40, verbose=0)
    camera = Transformed(network, keras.layers.RandomTranslation(
        0.2, 0.2, fill_mode="constant"))
    plain, robust = (attack(target, x, y, seed=0) for attack, target in (
        (PGD(0.25, 0.05, 10), network),
        (PGD(0.25, 0.05, 10, num_samples=12), camera)))

    def seen(images):
        scores = camera.draw(tf.constant(images), 40, noise.key(9))
        return np.mean(np.argmax(scores, axis=-1) == y)

    assert seen(robust) < seen(plain) <= seen(x)
