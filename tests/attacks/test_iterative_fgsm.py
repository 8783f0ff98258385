"""Iterative FGSM must be PGD without a ball, and a sum of its own steps."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.attacks.fgsm import FGSM
from bdlzoo.attacks.iterative_fgsm import IterativeFGSM
from bdlzoo.attacks.pgd import PGD
from bdlzoo.core import noise, registry
from tests.attacks.stand_in import Draws

rng = np.random.default_rng(3)
X = rng.uniform(size=(12, 5)).astype("float32")
Y = rng.integers(3, size=12)


def _network(*layers, outputs=3):
    keras.utils.set_random_seed(0)
    return keras.Sequential([keras.Input((5,)), *layers,
                             keras.layers.Dense(outputs)])


def _curved():
    wide = keras.initializers.RandomNormal(stddev=2.0, seed=0)
    return _network(keras.layers.Dense(16, "tanh", kernel_initializer=wide))


def _log_prob(model, x):
    return np.take_along_axis(tf.nn.log_softmax(model(x)).numpy(), Y[:, None], 1)


@pytest.mark.parametrize("model", [_curved(), Draws(3)], ids=["keras", "zoo"])
@pytest.mark.parametrize("targeted", [True, False])
def test_it_is_pgd_in_a_ball_as_wide_as_the_box(model, targeted):
    shared = dict(low=-1.0, high=2.0, targeted=targeted, num_samples=3)
    found = IterativeFGSM(0.2, 30, **shared)(model, X, Y, seed=4)
    ball = PGD(3.0, 0.2, 30, random_start=False, **shared)
    np.testing.assert_array_equal(found, ball(model, X, Y, seed=4))
    assert np.abs(found - X).max() > 1.0  # No ball held it back.


def test_first_small_step_raises_the_target_in_every_row():
    model = _curved()
    found = IterativeFGSM(1e-3, 1)(model, X, Y)
    assert (_log_prob(model, found) > _log_prob(model, X)).all()
    away = IterativeFGSM(1e-3, 1, targeted=False)(model, X, Y)
    assert (_log_prob(model, away) < _log_prob(model, X)).all()
    np.testing.assert_array_equal(away, FGSM(1e-3)(model, X, Y))


def test_linear_model_with_two_classes_has_a_closed_form():
    """Its gradient keeps its signs: the way is straight, up to the wall."""
    model = _network(outputs=2)
    target = Y % 2
    kernel = model.weights[0].numpy()
    slope = np.where(target[:, None] == 1, 1.0, -1.0) * (kernel[:, 1] - kernel[:, 0])
    for num_steps in (7, 100):
        found = IterativeFGSM(0.02, num_steps)(model, X, target)
        expected = np.clip(X + 0.02 * num_steps * np.sign(slope), 0.0, 1.0)
        np.testing.assert_allclose(found, expected, atol=2e-6)
    assert set(np.unique(found)) == {0.0, 1.0}


def test_all_steps_at_once_are_one_hundred_calls():
    model, attack = _curved(), IterativeFGSM()
    found, attack.num_steps = attack(model, X, Y), 1
    x = X
    for step in range(100):
        x = attack(model, x, Y, seed=step)
    np.testing.assert_array_equal(found, x)
    assert np.abs(found - X).max() > 0.3


def test_posterior_is_drawn_anew_in_every_step():
    attack, labels = IterativeFGSM(0.05, 2, num_samples=2), tf.constant(Y)

    def climb(*steps):
        x = tf.constant(X)
        for step in steps:
            key = noise.key(7, noise.ATTACK, 0, step)
            x += 0.05 * tf.sign(attack.gradient(Draws(3), x, labels, key))
            x = tf.clip_by_value(x, 0.0, 1.0)
        return x

    found = attack(Draws(3), X, Y, seed=7)
    np.testing.assert_allclose(found, climb(0, 1), atol=1e-6)
    assert np.abs(found - climb(0, 0)).max() > 0.04
    assert np.abs(found - attack(Draws(3), X, Y, seed=8)).max() > 0.04


def test_images_of_256_levels_stay_in_their_box():
    model = _network(keras.layers.Rescaling(1 / 255))
    levels = np.round(255 * X).astype("uint8")
    found = IterativeFGSM(20.0, 30, low=0, high=255)(model, levels, Y).numpy()
    assert found.min() == 0.0 and found.max() == 255.0


def test_other_settings_are_not_traced_again():
    class Counted(keras.layers.Layer):
        calls = 0

        def call(self, inputs):
            type(self).calls += 1
            return inputs

    network, attack = _network(Counted()), IterativeFGSM(0.01, 2, low=-5, high=5)
    short = attack(network, X, Y, seed=0)
    calls = Counted.calls
    attack.step_size, attack.num_steps = 0.02, 4
    long = attack(network, X, Y, seed=1)
    attack.low, attack.high = 0.0, 1.0
    assert attack(network, X, Y).numpy().min() >= 0.0
    assert Counted.calls == calls > 0
    reached = [np.abs(found - X).max() for found in (short, long)]
    np.testing.assert_allclose(reached, [0.02, 0.08], atol=1e-6)


def test_config_finds_it_by_name_and_has_the_published_defaults():
    attack = registry.build({"type": "iterative_fgsm"})
    assert isinstance(attack, IterativeFGSM) and attack.targeted
    assert (attack.step_size, attack.num_steps) == (0.01, 100)


@pytest.mark.parametrize("wrong", [
    {"step_size": 0.0}, {"step_size": float("nan")}, {"num_steps": 0},
    {"num_samples": 0}])
def test_wrong_settings_are_refused(wrong):
    [(name, value)] = wrong.items()
    with pytest.raises(ValueError, match=f"Received: {name}={value}"):
        IterativeFGSM(**wrong)


def test_an_empty_box_is_refused_by_its_walls():
    with pytest.raises(ValueError, match="low=1.0, high=0.0"):
        IterativeFGSM(low=1.0, high=0.0)
