"""A mixture: every row meets one member, whole and unmixed."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.layers.mixture import Mixture

X = {"Dense": np.random.default_rng(0).normal(size=(7, 5)).astype("float32"),
     "Conv2D": np.random.default_rng(0).normal(size=(7, 4, 4, 2)).astype("float32")}
LAYERS = {"Dense": lambda: keras.layers.Dense(4, activation="tanh"),
          "Conv2D": lambda: keras.layers.Conv2D(3, 2)}


def _mixture(name, num_members=3, **options):
    """Members that differ by a constant in each weight."""
    plain = LAYERS[name]()
    mixture = Mixture(plain, num_members, **options)
    mixture.build(X[name].shape)
    mixture.noise_salt = 2
    mixture.set_members(plain.get_weights())
    for part in mixture.members:
        shift = np.arange(num_members).reshape(-1, *[1] * (len(part.shape) - 1))
        part.assign(part.numpy() + 0.1 * shift)
    return mixture


def _plain(mixture, name, values):
    layer = LAYERS[name]()
    layer.build(X[name].shape)
    layer.set_weights(values)
    return layer


@pytest.mark.parametrize("name", LAYERS)
def test_rows_meet_members_in_turn(name):
    mixture = _mixture(name)
    with noise.draws(noise.key(0), member=tf.constant(5)):
        outputs = mixture(X[name])
    for row in range(7):
        member = _plain(mixture, name, mixture.stack.get_copy((5 + row) % 3))
        np.testing.assert_allclose(outputs[row], member(X[name])[row], atol=1e-6)


@pytest.mark.parametrize("name", LAYERS)
def test_a_coherent_draw_is_one_member_and_no_draw_their_mean(name):
    mixture = _mixture(name)
    with noise.draws(noise.key(0), coherent=True, member=tf.constant(2)):
        outputs = mixture(X[name])
    member = _plain(mixture, name, mixture.stack.get_copy(2))
    np.testing.assert_allclose(outputs, member(X[name]), atol=1e-6)
    mean = _plain(mixture, name, [np.mean(part, axis=0) for part in mixture.members])
    np.testing.assert_allclose(mixture(X[name]), mean(X[name]), atol=1e-6)


def test_the_first_member_is_uniform_and_one_for_all_layers():
    first = tf.map_fn(lambda key: noise.Draw(key, False).member_of(3),
                      noise.split(noise.key(0), 600), fn_output_signature=tf.int32)
    error = np.sqrt(600 * 2 / 9)
    assert np.abs(np.bincount(first, minlength=3) - 200).max() < 4 * error
    mixture, other = _mixture("Dense"), _mixture("Dense")
    other.noise_salt = 9
    other.stack.set_weights(mixture.stack.get_weights())
    with noise.draws(noise.key(0)):
        np.testing.assert_array_equal(mixture(X["Dense"]), other(X["Dense"]))


@pytest.mark.parametrize("name", LAYERS)
def test_one_member_is_the_layer_itself_and_so_is_its_gradient(name):
    mixture = _mixture(name, num_members=1)
    plain = _plain(mixture, name, mixture.stack.get_copy(0))
    with tf.GradientTape(persistent=True) as tape:
        with noise.draws(noise.key(0)):
            loss = tf.reduce_sum(mixture(X[name]) ** 2)
        expected = tf.reduce_sum(plain(X[name]) ** 2)
    np.testing.assert_allclose(loss, expected, rtol=1e-5)
    for a, b in zip(tape.gradient(loss, mixture.trainable_variables),
                    tape.gradient(expected, plain.trainable_variables), strict=True):
        np.testing.assert_allclose(a[0], b, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("coherent", [False, True])
def test_gaussian_members_have_noise_of_their_scale(coherent):
    """On an input of ones, outputs vary by the sum of the variances."""
    plain = keras.layers.Dense(2000)
    mixture = Mixture(plain, 2, gaussian=True, init_log_scale=np.log(0.1))
    mixture.build((None, 4))
    mixture.noise_salt = 0
    mixture.set_members(plain.get_weights())
    for scale in mixture.log_scales:  # The second member has more.
        scale.assign(scale.numpy() + np.log([1.0, 3.0]).reshape(-1, *[1] * (
            len(scale.shape) - 1)))
    ones, expected = np.ones((2, 4), "float32"), mixture(np.ones((1, 4)))
    for member, size in ((0, 0.1), (1, 0.3)):
        with noise.draws(noise.key(0), coherent, member=tf.constant(member)):
            gap = (mixture(ones) - expected).numpy()
        np.testing.assert_allclose(gap[0].std(), size * np.sqrt(5), rtol=0.06)
        assert np.array_equal(gap[0], gap[1]) == coherent


def test_mixture_is_saved_with_its_members(tmp_path):
    inputs = keras.Input((5,))
    layer = LAYERS["Dense"]()
    network = keras.Model(inputs, Mixture(layer, 3, gaussian=True)(inputs))
    network.layers[1].set_members(layer.get_weights())
    network.layers[1].members[0].assign_add(np.arange(60.0).reshape(3, 5, 4))
    network.save(tmp_path / "m.keras")
    again = keras.saving.load_model(tmp_path / "m.keras")
    assert again.layers[1].gaussian and again.layers[1].num_members == 3
    for part in (network, again):
        part.layers[1].noise_salt = 0
    with noise.draws(noise.key(1)):
        np.testing.assert_array_equal(again(X["Dense"]), network(X["Dense"]))
    assert len(network.trainable_variables) == 4
