"""Direct optimisation against the closed forms of one variable."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo import ExponentialFall
from bdlzoo.core import noise
from bdlzoo.estimators import DirectOptimization, Exact
from bdlzoo.estimators.direct_optimization import losses_around
from tests.estimators import toy

COUNT = 40_000


def _closed_form(epsilon, two_sided=False):
    """Mean of the estimate: a difference of probabilities along theta."""
    def at(shift):
        return toy.softmax(toy.POTENTIALS + shift * toy.THETA)
    if two_sided:
        return (at(epsilon) - at(-epsilon)) / (2 * epsilon)
    return (at(epsilon) - at(0.0)) / epsilon


def _error(found):
    """Four standard errors of the largest component."""
    return 4 * np.sqrt(np.var(found, axis=0).max() / len(found))


@pytest.mark.parametrize("epsilon", [1.0, 0.1, -1.0, 3.0])
def test_mean_is_the_forward_difference(epsilon):
    found = toy.gradients(DirectOptimization(epsilon), COUNT)
    np.testing.assert_allclose(found.mean(axis=0), _closed_form(epsilon),
                               atol=_error(found))
    np.testing.assert_array_equal(found.sum(axis=-1), 0.0)


def test_closed_form_has_the_known_values():
    np.testing.assert_allclose(_closed_form(0.1), [
        0.036112, -0.169220, -0.130567, 0.442544, -0.178870], atol=1e-5)
    np.testing.assert_allclose(_closed_form(-1.0), [
        0.164799, -0.397682, 0.163501, 0.176592, -0.107210], atol=1e-5)
    # The bias falls as epsilon; with two sides as its square.
    for epsilon, expected in ((1.0, 0.174), (0.5, 0.123), (0.1, 0.030), (0.01, 0.003)):
        gap = np.abs(_closed_form(epsilon) - toy.EXACT).max()
        np.testing.assert_allclose(gap, expected, atol=6e-4)
    gaps = [np.abs(_closed_form(epsilon, True) - toy.EXACT).max()
            for epsilon in (0.1, 0.01)]
    np.testing.assert_allclose(gaps[0] / gaps[1], 100.0, rtol=0.1)


@pytest.mark.parametrize("epsilon, expected", [(1.0, 0.75), (0.5, 2.20), (0.1, 13.4)])
def test_variance_is_that_of_shared_noise(epsilon, expected):
    """Draws with noise of their own would have 1.18, 5.67 and 148."""
    found = toy.total_variance(toy.gradients(DirectOptimization(epsilon), COUNT))
    np.testing.assert_allclose(found, expected, rtol=0.06)


def test_noise_of_their_own_would_have_the_known_variance():
    codes = tf.stack([tf.one_hot(tf.argmax(
        toy.POTENTIALS + shift * toy.THETA + noise.gumbel([COUNT, 5], noise.key(seed)),
        axis=-1), 5) for seed, shift in enumerate((0.0, 0.1))])
    apart = (codes[1] - codes[0]).numpy() / 0.1
    np.testing.assert_allclose(toy.total_variance(apart), 148, rtol=0.03)


def test_two_sides_have_the_mean_of_both():
    found = toy.gradients(DirectOptimization(0.5, two_sided=True), COUNT)
    np.testing.assert_allclose(found.mean(axis=0), _closed_form(0.5, True),
                               atol=_error(found))


@pytest.mark.parametrize("epsilon", [0.7, -0.7])
def test_second_code_has_the_lower_loss(epsilon):
    """The higher one, where epsilon is negative."""
    found = toy.gradients(DirectOptimization(epsilon))
    # (onehot(z_dir) - onehot(z_opt)) . theta, by the sign of epsilon.
    gain = np.sign(epsilon) * (found * epsilon) @ toy.THETA
    assert gain.min() >= 0 and gain.max() > 0


def test_large_epsilon_finds_the_best_code():
    found = toy.gradients(DirectOptimization(1e4)) * 1e4
    first = 1.0 * (toy.THETA == toy.THETA.max()) - found
    np.testing.assert_allclose(first.sum(axis=-1), 1.0, atol=1e-3)
    assert first.min() > -1e-3


def _several(potentials, weights):
    """Loss of codes `[S, B, 3, 2]` that no sum over variables gives."""
    def loss(codes):
        flat = tf.reshape(codes, [*codes.shape[:-2], 6])
        return tf.reduce_sum(tf.square(flat @ weights), axis=-1)
    return loss


WEIGHTS = np.random.default_rng(0).normal(size=(6, 4)).astype("float32")


def test_several_variables_come_close_to_enumeration():
    rng = np.random.default_rng(1)
    potentials = rng.normal(size=(1, 3, 2)).astype("float32")
    loss = _several(potentials, WEIGHTS)

    def slope(estimator, count, **options):
        rows = tf.Variable(np.tile(potentials, (count, 1, 1)))
        with tf.GradientTape() as tape:
            total = tf.reduce_sum(estimator(rows, loss, noise.key(0), **options))
        return tape.gradient(total, rows).numpy()

    exact = slope(Exact(), 1)[0]
    found = slope(DirectOptimization(0.02, two_sided=True), 60_000)
    error = 4.5 * np.sqrt(np.var(found, axis=0).max() / len(found))
    np.testing.assert_allclose(found.mean(axis=0), exact, atol=error + 0.01)
    assert error < 0.25 * np.abs(exact).max()


def test_table_holds_the_loss_of_each_flip():
    rng = np.random.default_rng(2)
    values = rng.integers(3, size=(2, 4, 3))  # [S, B, N]
    weights = rng.normal(size=(9, 5)).astype("float32")

    def loss(codes):
        flat = tf.reshape(codes, tf.concat([tf.shape(codes)[:-2], [9]], axis=0))
        return tf.reduce_sum(tf.sin(tf.tensordot(flat, weights, 1)), axis=-1)

    losses, table = losses_around(tf.one_hot(values, 3), loss)
    for place in np.ndindex(2, 4, 3, 3):
        *rows, variable, value = place
        flipped = values[tuple(rows)].copy()
        flipped[variable] = value
        expected = loss(tf.one_hot(flipped, 3)[None, None])[0, 0]
        np.testing.assert_allclose(table[place], expected, atol=1e-5)
        if value == values[(*rows, variable)]:
            np.testing.assert_allclose(losses[tuple(rows)], expected, atol=1e-5)


def test_weights_of_the_loss_get_the_gradient_of_the_drawn_code():
    scale = tf.Variable(2.0)
    potentials = tf.constant(np.tile(toy.POTENTIALS, (7, 1, 1)))
    with tf.GradientTape() as tape:
        found = DirectOptimization(1.0)(
            potentials, lambda codes: scale * toy.loss(codes), noise.key(0))
        total = tf.reduce_sum(found)
    np.testing.assert_allclose(tape.gradient(total, scale), total / 2.0, rtol=1e-6)


@pytest.mark.parametrize("num_samples", [1, 3])
def test_compiled_is_plain(num_samples):
    estimator = DirectOptimization(0.3)
    compiled = tf.function(
        lambda potentials, loss, key, step=0, num_samples=1: estimator(
            potentials, loss, key, step, num_samples), jit_compile=True)
    np.testing.assert_allclose(
        toy.gradients(compiled, 50, num_samples=num_samples),
        toy.gradients(estimator, 50, num_samples=num_samples), atol=1e-6)


def test_more_draws_are_averaged():
    few, many = (toy.total_variance(toy.gradients(
        DirectOptimization(0.5), 5000, num_samples=count)) for count in (1, 8))
    np.testing.assert_allclose(few / many, 8.0, rtol=0.1)


def test_schedule_is_read_at_the_step_and_saved():
    falling = DirectOptimization(ExponentialFall(1.0, 0.5, floor=0.1))
    fixed = DirectOptimization(float(np.exp(-1.0)))
    np.testing.assert_allclose(toy.gradients(falling, 50, step=2),
                               toy.gradients(fixed, 50), rtol=1e-5)
    again = keras.saving.deserialize_keras_object(
        keras.saving.serialize_keras_object(falling))
    np.testing.assert_array_equal(toy.gradients(again, 50, step=2),
                                  toy.gradients(falling, 50, step=2))
    spec = DirectOptimization({"type": "ExponentialFall", "initial": 1.0, "rate": 0.5,
                               "floor": 0.1})
    np.testing.assert_array_equal(toy.gradients(spec, 50, step=2),
                                  toy.gradients(falling, 50, step=2))


def test_given_codes_take_the_place_of_the_second():
    potentials = tf.Variable(np.tile(toy.POTENTIALS, (COUNT, 1, 1)))
    target = np.eye(5, dtype="float32")[3][None, None]
    with tf.GradientTape() as tape:
        wrong = DirectOptimization(0.05).toward(potentials, target, noise.key(0))
        total = tf.reduce_sum(wrong)
    found = tape.gradient(total, potentials).numpy().mean(axis=0)[0]
    probs = toy.softmax(toy.POTENTIALS)
    np.testing.assert_allclose(found, (probs - target[0, 0]) / 0.05, atol=0.25)
    np.testing.assert_allclose(np.mean(wrong), 1.0 - probs[3], atol=0.01)


@pytest.mark.parametrize("epsilon", [0, 0.0, float("nan"), float("inf"), None])
def test_epsilon_that_divides_by_nothing_is_refused(epsilon):
    with pytest.raises(ValueError, match="not 0.*Received: epsilon="):
        DirectOptimization(epsilon)
