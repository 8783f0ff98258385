"""The climb to a law of perturbations: its slopes, its limits, its ball."""

import dataclasses

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.core.ball import Ball
from bdlzoo.core.tanh_normal import TanhNormal
from bdlzoo.families.explicit_adversary import ExplicitAdversary

RNG = np.random.default_rng(0)
X = RNG.uniform(size=(3, 5)).astype("float32")
Y = tf.constant([0, 1, 0])
KERNEL = RNG.normal(size=(5, 2)).astype("float32")
KEY = noise.key(0, noise.ATTACK)
BALL = Ball(tf.constant(X), 0.4, 0.0, 1.0)
PLAIN = ExplicitAdversary(num_steps=7, step_size=0.3, num_draws=3, entropy_weight=0.5,
                          entropy="mean", accumulate=False)


def _losses(x, y):
    logits = tf.sin(3.0 * x) @ KERNEL
    return tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits)


def _objective(adversary, mean, rho, normals):
    """Sum over inputs of the mean over draws of loss and entropy."""
    law = TanhNormal(mean, tf.math.softplus(rho))
    u = law.moved(normals)
    losses = [_losses(BALL.at(tf.tanh(each)), Y) for each in tf.unstack(u)]
    reduce = tf.reduce_mean if adversary.entropy == "mean" else tf.reduce_sum
    nats = reduce(tf.reduce_mean(law.entropy(u), axis=0), axis=-1)
    return tf.reduce_sum(tf.reduce_mean(losses, axis=0)
                         + adversary.entropy_weight * nats)


def _slopes(adversary, losses, ball, mean, rho):
    """Those by which the first step goes."""
    one = dataclasses.replace(adversary, num_steps=1)
    y = tf.concat([Y, tf.zeros([len(mean) - 3], tf.int32)], axis=0)
    place = one.climbed(losses, ball, y, mean, rho, KEY)
    return place.mean_slope, place.rho_slope


@pytest.mark.parametrize("entropy", ["mean", "sum"])
def test_slopes_are_the_gradients_of_the_objective(entropy):
    adversary = dataclasses.replace(PLAIN, entropy=entropy)
    mean, rho = (tf.constant(RNG.normal(size=X.shape), tf.float32) for _ in range(2))
    normals = noise.cubic_normal((3, *X.shape), KEY)
    with tf.GradientTape() as tape:
        tape.watch([mean, rho])
        value = _objective(adversary, mean, rho, normals)
    expected = tape.gradient(value, [mean, rho])
    found = _slopes(adversary, _losses, BALL, mean, rho)
    assert np.any(BALL.at(tf.ones_like(mean)) == 1.0)  # The box cuts somewhere.
    for ours, exact in zip(found, expected):
        np.testing.assert_allclose(ours, exact, rtol=1e-4, atol=1e-6)


def test_without_width_and_entropy_it_is_gradient_ascent_in_tanh():
    adversary = dataclasses.replace(PLAIN, entropy_weight=0.0, num_draws=1)
    mean = tf.constant(RNG.normal(size=X.shape), tf.float32)
    with tf.GradientTape() as tape:
        tape.watch(mean)
        value = tf.reduce_sum(_losses(BALL.at(tf.tanh(mean)), Y))
    slopes, _ = _slopes(adversary, _losses, BALL, mean, tf.fill(X.shape, -30.0))
    np.testing.assert_allclose(slopes, tape.gradient(value, mean), rtol=1e-4,
                               atol=1e-7)


WIDE = Ball(tf.zeros([4000, 5]), 0.4, 0.0, 1.0)  # Few draws, but many inputs.


def _flat(x, y):
    """Losses without a slope: entropy alone is what counts."""
    return 0.0 * tf.reduce_sum(x, axis=-1)


def test_entropy_alone_leads_to_the_widest_law():
    adversary = dataclasses.replace(PLAIN, num_steps=60, step_size=0.02, num_draws=8)
    mean, scale = adversary.learn(_flat, WIDE, tf.zeros([4000], tf.int32), KEY)
    np.testing.assert_allclose(np.mean(mean), 0.0, atol=0.01)
    law = TanhNormal(np.mean(mean), np.mean(scale))
    normals = noise.normal([200_000], KEY)
    np.testing.assert_allclose(np.mean(law.entropy(law.moved(normals))), 0.6836,
                               atol=5e-3)


def test_scale_rises_and_falls_to_that_of_the_widest_law():
    """That is 0.8745 for normal noise, and 0.895 for the noise of the steps."""
    adversary = dataclasses.replace(PLAIN, num_draws=64)
    slopes = [np.mean(_slopes(
        adversary, _flat, WIDE, WIDE.center,
        tf.fill(WIDE.center.shape, np.float32(np.log(np.expm1(scale)))))[1])
        for scale in (0.885, 0.905)]
    assert slopes[1] < 0.0 < slopes[0]


def test_objective_rises():
    adversary = dataclasses.replace(PLAIN, num_draws=5, entropy_weight=0.01,
                                    accumulate=True)
    mean, scale = adversary.learn(_losses, BALL, Y, KEY)
    normals = noise.normal((50, *X.shape), noise.fold_in(KEY, 99))
    flat = [tf.zeros_like(mean)] * 2
    before, after = (_objective(adversary, *place, normals) for place in (
        flat, (mean, tf.math.log(tf.math.expm1(scale)))))
    assert after > before + 0.1
    assert np.abs(mean).max() <= 7 * 0.3 + 1e-5


def test_sums_of_slopes_remember_and_last_ones_do_not():
    """A loss whose slope turns after three calls: 3 up, 2 down, or still up."""
    calls = []

    def turning(x, y):
        del y
        calls.append(None)
        return (1.0 if len(calls) <= 3 else -1.0) * tf.reduce_sum(x, axis=-1)

    ball = Ball(tf.fill([1, 4], 0.5), 0.1, 0.0, 1.0)
    for accumulate, steps in ((False, 1), (True, 5)):
        calls.clear()
        adversary = dataclasses.replace(PLAIN, num_steps=5, entropy_weight=0.0,
                                        num_draws=60, accumulate=accumulate)
        mean, _ = adversary.learn(turning, ball, Y[:1], KEY)
        # The slopes shrink on the way up, so that five of them stay positive.
        np.testing.assert_allclose(mean, 0.3 * steps, rtol=1e-5)


def test_tiny_slopes_make_full_steps():
    """Where Adam without memory would make half of one: 1e-8 / (1e-8 + 1e-8)."""
    adversary = dataclasses.replace(PLAIN, num_steps=1, entropy_weight=0.0)
    ball = Ball(tf.fill([3, 5], 0.5), 0.4, 0.0, 1.0)
    mean, _ = adversary.learn(lambda x, y: 1e-12 * tf.reduce_sum(x, axis=-1), ball, Y,
                              KEY)
    np.testing.assert_allclose(np.abs(mean), 0.3, rtol=1e-6)


def test_draw_is_in_ball_and_box_and_has_no_gradient():
    found = PLAIN.attacked(_losses, BALL, Y, KEY)
    moved = found.inputs.numpy()
    assert np.abs(moved - X).max() <= 0.4 and moved.min() >= 0 and moved.max() <= 1
    assert found.penalty == 0.0 and found.logs["entropy"] < np.log(2)
