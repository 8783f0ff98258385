"""MIM must be PGD without its momentum, and its own recursion with it."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.attacks import MIM, PGD
from bdlzoo.core import noise, registry

rng = np.random.default_rng(4)
X = rng.uniform(size=(12, 5)).astype("float32")
Y = rng.integers(2, size=12)


@pytest.fixture(scope="module")
def bumpy():
    """Gradients that change their signs along the way."""
    keras.utils.set_random_seed(0)
    wide = keras.initializers.RandomNormal(stddev=4.0, seed=0)
    return keras.Sequential([keras.Input((5,)), keras.layers.Dense(
        16, "tanh", kernel_initializer=wide), keras.layers.Dense(2)])


def test_without_momentum_it_is_pgd(bumpy):
    found = MIM(0.3, 0.05, 6, mu=0.0)(bumpy, X, Y, seed=4)
    np.testing.assert_array_equal(found, PGD(0.3, 0.05, 6)(bumpy, X, Y, seed=4))


def test_steps_follow_the_normalised_sum_of_gradients(bumpy):
    """The recursion by hand; mu is a tensor, so that both need one trace."""
    attack, origin, found = MIM(0.3, 0.1, 4, random_start=False), tf.constant(X), {}
    for attack.mu in (0.5, 1.0):
        x, momentum = origin, 0.0
        for step in range(4):
            gradient = attack.gradient(bumpy, x, tf.constant(Y), noise.key(step))
            size = tf.reduce_mean(abs(gradient), axis=1, keepdims=True)
            momentum = attack.mu * momentum + gradient / size
            x = attack.project(x + 0.1 * tf.sign(momentum), origin, 0.3, 0.0, 1.0)
        found[attack.mu] = attack(bumpy, X, Y)
        np.testing.assert_allclose(found[attack.mu], x, atol=1e-6)
    assert abs(found[0.5] - found[1.0]).numpy().max() > 0.05


def test_a_row_without_a_gradient_stays_finite():
    """Cross entropy of a network that is sure beyond float32."""
    sure = keras.Sequential([keras.Input((5,)), keras.layers.Dense(2)])
    sure.layers[0].set_weights([np.eye(5, 2) * 1e4, np.array([2e4, -2e4])])
    found = MIM(0.1, 0.05, 3, random_start=False)(sure, X, np.zeros(12))
    np.testing.assert_array_equal(found, X)


def test_config_finds_it_by_name_and_wrong_momentum_is_refused():
    spec = {"type": "mim", "epsilon": 0.1, "step_size": 0.02, "num_steps": 7}
    attack = registry.build(spec)
    assert isinstance(attack, MIM) and (attack.mu, attack.random_start) == (1.0, True)
    with pytest.raises(ValueError, match="Received: mu=-1"):
        registry.build({**spec, "mu": -1})
