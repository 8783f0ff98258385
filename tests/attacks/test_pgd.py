"""PGD must be FGSM in its limits, and better where there is more to find."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.attacks.fgsm import FGSM
from bdlzoo.attacks.pgd import PGD
from bdlzoo.core import noise, registry
from tests.attacks.stand_in import Draws

rng = np.random.default_rng(2)
X = rng.uniform(size=(16, 5)).astype("float32")
Y = rng.integers(2, size=16)


def _network(*layers):
    keras.utils.set_random_seed(0)
    return keras.Sequential([keras.Input((5,)), *layers, keras.layers.Dense(2)])


def _bumpy():
    """Many local maxima in a ball."""
    wide = keras.initializers.RandomNormal(stddev=4.0, seed=0)
    return _network(keras.layers.Dense(16, "tanh", kernel_initializer=wide))


def _loss(model, x, y=Y):
    return keras.losses.sparse_categorical_crossentropy(
        y, model(x), from_logits=True).numpy()


@pytest.mark.parametrize("model", [_bumpy(), Draws(2)], ids=["keras", "zoo"])
def test_one_long_step_from_the_input_is_fgsm(model):
    one = PGD(0.1, step_size=0.1, num_steps=1, random_start=False, num_samples=3)
    np.testing.assert_array_equal(one(model, X, Y, seed=4),
                                  FGSM(0.1, num_samples=3)(model, X, Y, seed=4))


def test_nothing_beats_fgsm_on_a_linear_model():
    model = _network()
    best = _loss(model, FGSM(0.1)(model, X, Y))
    found = PGD(0.1, 0.03, 20, num_restarts=3)(model, X, Y)
    np.testing.assert_allclose(_loss(model, found), best, rtol=1e-5)


def test_many_steps_beat_one_on_a_bumpy_model():
    model = _bumpy()
    one, many = FGSM(0.2)(model, X, Y), PGD(0.2, 0.02, 40)(model, X, Y)
    assert _loss(model, many).mean() > _loss(model, one).mean() + 0.05


def test_each_row_keeps_its_best_start():
    model = _bumpy()
    starts = [PGD(0.3, 0.05, 5, num_restarts=n)(model, X, Y, seed=1)
              for n in (1, 6)]
    single, six = (_loss(model, found) for found in starts)
    assert (six >= single).all()
    assert (six > single).any() and (six == single).any()


def test_target_loss_falls_and_restarts_lower_it_further():
    model, target = _bumpy(), 1 - Y
    clean = _loss(model, X, target)
    one, six = (PGD(0.3, 0.05, 5, num_restarts=n, targeted=True)(
        model, X, target, seed=1) for n in (1, 6))
    assert _loss(model, one, target).mean() < clean.mean()
    assert (_loss(model, six, target) <= _loss(model, one, target)).all()
    assert (_loss(model, six, target) < clean).all()


def test_posterior_is_drawn_anew_in_every_step():
    attack = PGD(0.2, 0.05, 2, random_start=False, num_samples=2)
    origin, labels = tf.constant(X), tf.constant(Y)

    def climb(*steps):
        x = origin
        for step in steps:
            key = noise.key(7, noise.ATTACK, 0, step)
            ascent = tf.sign(attack.gradient(Draws(2), x, labels, key))
            x = attack.project(x + 0.05 * ascent, origin, 0.2, 0.0, 1.0)
        return x

    found = attack(Draws(2), X, Y, seed=7)
    np.testing.assert_allclose(found, climb(0, 1), atol=1e-6)
    assert np.abs(found - climb(0, 0)).max() > 0.04


def test_random_start_fills_the_ball():
    """A step too small to matter leaves the start, uniform in the ball."""
    x = np.full((2000, 5), 0.5, "float32")
    found = PGD(0.2, 1e-6, 1)(_network(), x, np.zeros(2000), seed=0)
    offset = (found - x).numpy() / 0.2
    # Ten thousand uniforms on (-1, 1): mean 0 and variance 1/3, four errors.
    assert abs(offset.mean()) < 4 * (1 / 3 / 10_000) ** 0.5
    assert abs(offset.var() - 1 / 3) < 4 * (4 / 45 / 10_000) ** 0.5
    assert offset.min() < -0.99 and offset.max() > 0.99


def test_number_of_steps_may_change_between_calls():
    model, attack = _network(), PGD(1.0, 0.01, 2, random_start=False,
                                    low=-5.0, high=5.0)
    short = np.abs(attack(model, X, Y) - X).max()
    attack.num_steps, attack.step_size = 4, 0.02
    long = np.abs(attack(model, X, Y) - X).max()
    np.testing.assert_allclose([short, long], [0.02, 0.08], atol=1e-6)


def test_config_finds_it_by_name():
    attack = registry.build(
        {"type": "PGD", "epsilon": 0.1, "step_size": 0.02, "num_steps": 7})
    assert isinstance(attack, PGD) and attack.num_steps == 7


@pytest.mark.parametrize("wrong", [
    {"epsilon": -0.1}, {"step_size": 0.0}, {"num_steps": 0}, {"num_restarts": 0}])
def test_wrong_settings_are_refused(wrong):
    [(name, value)] = wrong.items()
    with pytest.raises(ValueError, match=f"Received: {name}={value}"):
        PGD(**{"epsilon": 0.1, "step_size": 0.02, "num_steps": 3, **wrong})
