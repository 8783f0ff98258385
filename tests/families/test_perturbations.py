"""The law of perturbations as a user has it."""

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core.ball import Ball
from bdlzoo.core.tanh_normal import TanhNormal
from bdlzoo.families.perturbations import Perturbations

X = tf.constant(np.random.default_rng(0).uniform(size=(3, 5)), tf.float32)
SCALE = 0.05 + tf.cast(tf.range(15), tf.float32) / 30
LAW = TanhNormal(tf.ones_like(X), tf.reshape(SCALE, [3, 5]))
FOUND = Perturbations(LAW, Ball(X, tf.constant(0.3), 0.0, 1.0))


def test_draws_are_in_the_ball_and_inputs_in_the_box():
    draws, inputs = FOUND.draws(40).numpy(), FOUND.inputs(40).numpy()
    assert draws.shape == inputs.shape == (40, 3, 5)
    assert np.abs(draws).max() <= 0.3
    np.testing.assert_allclose(inputs, np.clip(X + draws, 0, 1), atol=1e-6)


def test_spread_is_the_standard_deviation_of_each_number():
    np.testing.assert_allclose(FOUND.spread(64, seed=3),
                               FOUND.draws(64, seed=3).numpy().std(axis=0), rtol=1e-4)
    # To first order the slope of tanh times the scale; the narrowest ones show it.
    np.testing.assert_allclose(FOUND.spread(4000)[0, 0],
                               0.3 * 0.05 / np.cosh(1.0)**2, rtol=0.05)


def test_seed_decides_the_draws():
    np.testing.assert_array_equal(FOUND.draws(4, seed=1), FOUND.draws(4, seed=1))
    assert not np.allclose(FOUND.draws(4, seed=1), FOUND.draws(4, seed=2))


def test_a_count_below_one_is_refused():
    with pytest.raises(ValueError, match="num_samples=0"):
        FOUND.draws(0)
