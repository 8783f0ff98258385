"""SPSA must find slopes by queries alone, few at a time, and climb as Adam does."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.attacks import FGSM, SPSA, MarginLoss
from bdlzoo.core import noise, registry
from tests.attacks.stand_in import Draws

rng = np.random.default_rng(6)
X = rng.uniform(size=(4, 5)).astype("float32")
Y = np.array([0, 1, 0, 1])
KERNEL = rng.normal(size=(5, 2)).astype("float32")


class Asked:
    """A linear model that counts the rows of each query, and has no gradient."""

    def __init__(self):
        self.rows = []

    def __call__(self, x, training):
        self.rows.append(len(x))
        return tf.stop_gradient(x @ KERNEL)


def test_slope_is_that_of_a_linear_model_and_queries_are_counted():
    model, attack = Asked(), SPSA(0.1, num_queries=2000, max_rows=300)
    slope = attack.gradient(model, tf.constant(X), tf.constant(Y), noise.key(1))
    expected = (KERNEL[:, 1 - Y] - KERNEL[:, Y]).T
    # A pair errs by the other slopes: their norm by the root of 1,000 pairs.
    error = 5 * np.linalg.norm(expected[0]) / 1000**0.5
    np.testing.assert_allclose(slope, expected, atol=error)
    assert sum(model.rows) == 2000 * 4
    assert max(model.rows) <= 300


def test_one_pair_and_few_rows_are_enough_to_run():
    model, attack = Asked(), SPSA(0.1, num_queries=2, max_rows=2)
    slope = attack.gradient(model, tf.constant(X), tf.constant(Y), noise.key(1))
    assert model.rows == [8]
    # Along one direction all slopes are of one size, a row.
    np.testing.assert_allclose(np.ptp(abs(slope), axis=1), 0.0, atol=1e-3)


def test_steps_are_those_of_adam():
    attack, slopes = SPSA(0.1), rng.normal(size=(6, 3)).astype("float32")
    variable = keras.Variable(np.zeros(3, "float32"))
    optimizer = keras.optimizers.Adam(0.01, epsilon=1e-8)
    found, memory = np.zeros(3), attack.memory(tf.zeros(3))
    for slope in slopes:
        step, memory = attack.ascent(tf.constant(slope), memory)
        found += 0.01 * step.numpy()
        optimizer.apply([tf.constant(-slope)], [variable])
        np.testing.assert_allclose(found, variable.numpy(), atol=1e-6)


@pytest.fixture(scope="module")
def closed():
    """A linear network behind a layer that stops gradients."""

    class Wall(keras.layers.Layer):
        def call(self, inputs):
            return tf.stop_gradient(inputs)

    network = keras.Sequential([keras.Input((5,)), Wall(name="wall"),
                                keras.layers.Dense(2, use_bias=False)])
    network.layers[-1].set_weights([KERNEL])
    return network


def test_a_model_without_gradients_is_not_safe(closed):
    y = np.argmax(closed(X), -1)
    with pytest.raises(ValueError, match="layer 'wall' stops it.*|SPSA"):
        FGSM(0.3)(closed, X, y)
    attack = SPSA(0.3, 0.05, 12, num_queries=32)
    found = attack(closed, X, y, seed=1)
    assert abs(found - X).numpy().max() <= 0.3 + 1e-6
    assert found.numpy().min() >= 0.0 and found.numpy().max() <= 1.0
    # On a linear model the corner that FGSM goes to is the best there is.
    corner = np.clip(X + 0.3 * np.sign((KERNEL[:, 1 - y] - KERNEL[:, y]).T), 0, 1)
    margins = [np.take_along_axis(z @ KERNEL, y[:, None], 1)
               - np.take_along_axis(z @ KERNEL, 1 - y[:, None], 1)
               for z in (corner, found.numpy(), X)]
    assert (margins[1] >= margins[0] - 1e-5).all()
    assert (margins[1] <= margins[0] + 0.2 * (margins[2] - margins[0])).all()
    np.testing.assert_array_equal(found, attack(closed, X, y, seed=1))
    attack.epsilon = 0.0
    np.testing.assert_array_equal(attack(closed, X, y), X)


def test_both_ends_of_a_direction_see_the_same_draws():
    """Else the difference of draws, by a small scale, would drown the slope."""
    attack = SPSA(0.1, num_queries=2000, num_samples=2)
    key, labels = noise.key(3), tf.constant(Y)
    slope = attack.gradient(Draws(2), tf.constant(X), labels, key)
    exact = FGSM(0.1, num_samples=2, loss="MarginLoss").gradient(
        Draws(2), tf.constant(X), labels, key)
    error = 5 * np.linalg.norm(exact, axis=1).max() / 1000**0.5
    np.testing.assert_allclose(slope, exact, atol=error)


def test_config_finds_it_by_name_with_the_published_settings():
    attack = registry.build({"type": "spsa", "epsilon": 0.1})
    assert isinstance(attack.loss, MarginLoss)
    assert (attack.step_size, attack.scale, attack.num_steps) == (0.01, 1e-3, 100)


@pytest.mark.parametrize("wrong", [
    {"num_queries": 3}, {"num_queries": 0}, {"scale": 0.0}, {"max_rows": 1}])
def test_wrong_settings_are_refused(wrong):
    [(name, value)] = wrong.items()
    with pytest.raises(ValueError, match=f"Received: {name}={value}"):
        SPSA(0.1, **wrong)
