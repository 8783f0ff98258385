"""A ball in a box holds exactly, and slopes are gradients."""

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core.ball import Ball, slope

X = np.random.default_rng(0).uniform(size=(4, 3)).astype("float32")


def test_places_stay_in_ball_and_box():
    ball = Ball(X, 0.3, 0.0, 1.0)
    places = np.random.default_rng(1).uniform(-1, 1, (50, 4, 3)).astype("float32")
    found = ball.at(places).numpy()
    assert found.min() >= 0 and found.max() <= 1
    assert np.abs(found - X).max() <= 0.3 + 1e-6
    np.testing.assert_allclose(found, np.clip(X + 0.3 * places, 0, 1), atol=1e-6)


def test_slope_is_the_gradient():
    found = slope(lambda x: tf.reduce_sum(x**3), tf.constant(X))
    np.testing.assert_allclose(found, 3 * X**2, rtol=1e-6)


def test_a_network_without_a_gradient_is_refused():
    with pytest.raises(ValueError, match="a gradient in its inputs"):
        slope(lambda x: tf.reduce_sum(tf.cast(tf.argmax(x, -1), tf.float32)),
              tf.constant(X))
