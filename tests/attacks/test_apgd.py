"""Auto-PGD finds the worst case of a linear model, and never loses its best point."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.attacks import APGD, PGD, TargetedAPGD
from bdlzoo.attacks.step_attack import is_better
from bdlzoo.core import registry
from tests.attacks.stand_in import Draws

rng = np.random.default_rng(2)
X = rng.uniform(size=(16, 5)).astype("float32")
Y = rng.integers(3, size=16)


def _network(*layers, classes=3, scale=1.0):
    keras.utils.set_random_seed(0)
    network = keras.Sequential([keras.Input((5,)), *layers,
                                keras.layers.Dense(classes)])
    network.layers[-1].set_weights(
        [scale * part for part in network.layers[-1].get_weights()])
    return network


def _bumpy(scale=1.0):
    """Many local maxima in a ball."""
    wide = keras.initializers.RandomNormal(stddev=4.0, seed=0)
    return _network(keras.layers.Dense(16, "tanh", kernel_initializer=wide),
                    scale=scale)


def _gain(attack, model, x, y=Y):
    return attack.loss(model(x), tf.constant(y, tf.int32)).numpy()


def _right(model, x, y=Y):
    return np.argmax(model(x), axis=-1) == y


def _margin(model, x, y=Y):
    scores = np.array(model(x))
    own = scores[np.arange(len(y)), y].copy()
    scores[np.arange(len(y)), y] = -np.inf
    return own - scores.max(axis=-1)


@pytest.mark.parametrize("jit_compile", [
    False, pytest.param(True, marks=pytest.mark.slow)])
def test_two_classes_and_a_linear_model_have_the_worst_corner(jit_compile):
    """The margin falls by `epsilon * |difference of weights|`, cut by the box."""
    model, y = _network(classes=2), Y % 2
    attack = APGD(0.1, 20, loss="MarginLoss", jit_compile=jit_compile)
    found = attack(model, X, y).numpy()
    weights = model.layers[-1].get_weights()[0]
    away = np.sign(weights[:, 1 - y] - weights[:, y]).T
    worst = np.clip(X + 0.1 * away, 0.0, 1.0)
    np.testing.assert_allclose(found, worst, atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["CrossEntropyLoss", "DLRLoss"])
def test_three_classes_and_a_linear_model_have_the_worst_margin(loss):
    """The least margin is in the corner away from one of the other classes."""
    model = _network()
    weights = model.layers[-1].get_weights()[0]
    corners = [np.clip(X + 0.1 * np.sign(weights[:, [other]] - weights[:, Y]).T, 0, 1)
               for other in range(3)]
    least = np.min([_margin(model, corner.astype("float32")) for corner in corners], 0)
    found = TargetedAPGD(0.1, 20, num_targets=2)(model, X, Y)
    np.testing.assert_array_equal(_right(model, found), least > 0)
    plain = APGD(0.1, 40, num_restarts=3, loss=loss)(model, X, Y)
    assert (_margin(model, plain) >= least - 1e-5).all()


@pytest.mark.parametrize("kind", [
    APGD, pytest.param(TargetedAPGD, marks=pytest.mark.slow)])
def test_ball_and_box_are_kept(kind):
    found = kind(0.3, 15, low=0.1, high=0.8)(_bumpy(), np.clip(X, 0.1, 0.8), Y).numpy()
    assert np.abs(found - np.clip(X, 0.1, 0.8)).max() <= 0.3 + 1e-6
    assert found.min() >= np.float32(0.1) and found.max() <= np.float32(0.8)


def test_best_point_never_falls_with_more_steps():
    """Up to the first checkpoint the steps are the same ones."""
    model, attack = _bumpy(), APGD(0.3, loss="DLRLoss")
    gains = []
    for steps in (1, 2, 3, 4):  # One step, and a checkpoint after each.
        attack.num_steps = steps
        gains.append(_gain(attack, model, attack(model, X, Y, seed=5)))
    start = PGD(0.3, 1e-9, 1, loss="DLRLoss")(model, X, Y, seed=5)
    for before, after in zip([_gain(attack, model, start), *gains], gains):
        assert (after >= before - 1e-6).all()
    assert gains[-1].mean() > gains[0].mean()


def _by_hand(attack, model, epsilon, steps):
    """Algorithm 1 of Croce and Hein (2020), from the inputs; best gains of rows."""
    def at(x):
        with tf.GradientTape() as tape:
            x = tf.constant(x)
            tape.watch(x)
            gain = attack.loss(model(x), tf.constant(Y, tf.int32))
        return gain.numpy(), np.sign(tape.gradient(gain, x).numpy())

    def inside(x):
        return np.clip(np.clip(x, X - epsilon, X + epsilon), 0, 1).astype("float32")

    ends, width = [0.22 * steps], 0.22 * steps
    while ends[-1] < steps:
        width = max(width - 0.03 * steps, 0.06 * steps)
        ends.append(ends[-1] + width)
    ends = {round(end) for end in ends}
    x, before, (gain, sign) = X, X, at(X)
    best_x, best, best_sign, best_then = X, gain, sign, gain
    size, rises = np.full([len(X), 1], 2 * epsilon, "float32"), np.zeros(len(X))
    halved, last = np.zeros(len(X), bool), 0
    for step in range(1, steps + 1):
        goal = inside(x + size * sign)
        share = 1.0 if step == 1 else 0.75
        moved = inside(x + share * (goal - x) + (1 - share) * (x - before))
        before, x, old, (gain, sign) = x, moved, gain, at(moved)
        rises += gain > old
        better = gain > best
        best, best_x, best_sign = (
            np.where(better, gain, best), np.where(better[:, None], x, best_x),
            np.where(better[:, None], sign, best_sign))
        if step in ends:
            halves = (rises < 0.75 * (step - last)) | (~halved & (best <= best_then))
            row = halves[:, None]
            size = np.where(row, size / 2, size)
            x, before, sign = (np.where(row, best_x, x), np.where(row, best_x, before),
                               np.where(row, best_sign, sign))
            gain = np.where(halves, best, gain)
            halved, best_then, rises, last = halves, best, np.zeros(len(X)), step
    return best


def test_steps_are_those_of_the_paper():
    model, attack = _bumpy(), APGD(1.0, 100, random_start=False)
    found = _gain(attack, model, attack(model, X, Y))
    np.testing.assert_allclose(found, _by_hand(attack, model, 1.0, 100), atol=1e-4)


@pytest.mark.slow
def test_step_size_chosen_by_itself_beats_a_fixed_one():
    model = _bumpy()
    fixed = PGD(0.3, 0.1, 40, loss="DLRLoss")
    own = APGD(0.3, 40, loss="DLRLoss")
    assert (_gain(own, model, own(model, X, Y)).mean()
            > _gain(own, model, fixed(model, X, Y)).mean() + 0.02)


@pytest.mark.slow
def test_target_is_reached():
    model, target = _bumpy(), (Y + 1) % 3
    found = APGD(0.5, 30, targeted=True, num_restarts=3)(model, X, target)
    assert _right(model, found, target).mean() > _right(model, X, target).mean() + 0.3


def test_success_comes_before_a_higher_gain():
    """With three classes a cross entropy of 1 can be right, and one of 0.8 wrong."""
    new = tf.constant([True, False, True, False]), tf.constant([0.8, 1.0, 0.7, 0.9])
    old = tf.constant([False, True, True, False]), tf.constant([1.0, 0.8, 0.8, 0.8])
    np.testing.assert_array_equal(is_better(new, old), [True, False, False, True])


def test_posterior_is_attacked_and_the_name_is_known():
    attack = registry.build({"type": "APGD", "epsilon": 0.2, "num_steps": 5,
                             "num_samples": 4})
    found = attack(Draws(3), X, Y, seed=1)
    np.testing.assert_array_equal(found, attack(Draws(3), X, Y, seed=1))
    assert np.abs(found - X).max() > 0.1
