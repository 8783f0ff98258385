"""TRADES: its divergence, its adversary, its limits."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.core.ball import Ball
from bdlzoo.methods import TRADES
from bdlzoo.methods.trades import divergence

RNG = np.random.default_rng(0)
X = RNG.uniform(size=(12, 4)).astype("float32")
Y = RNG.integers(3, size=12)
KEY = noise.key(0, noise.TRAIN)


def _model(**kwargs):
    keras.utils.set_random_seed(0)
    wide = keras.initializers.RandomNormal(stddev=0.7, seed=0)
    network = keras.Sequential([
        keras.Input((4,)), keras.layers.Dense(8, "tanh", kernel_initializer=wide),
        keras.layers.Dense(3, kernel_initializer=wide)])
    model = TRADES(network, seed=0, warm_up=0.0, **{"epsilon": 0.2, **kwargs})
    model.build((None, 4))
    return model


def test_divergence_is_that_of_the_fixture_and_never_negative():
    found = divergence(np.array([[1.0, 0, 0]]), np.array([[0, 1.0, 0]]))
    np.testing.assert_allclose(found, 0.364175, atol=1e-6)
    logits = RNG.normal(size=(50, 3))
    assert (divergence(logits, RNG.normal(size=(50, 3))).numpy() >= 0).all()
    np.testing.assert_allclose(divergence(logits, logits + 7.0), 0.0, atol=1e-12)


def test_labels_are_fitted_on_clean_inputs_and_both_sides_have_the_gradient():
    model, moved = _model(beta=3.0), 0.3 * X[::-1]  # No pair has its mirror image.
    with tf.GradientTape(persistent=True) as tape:
        outputs, terms = model.terms(X, moved, Y)
        total = tf.reduce_sum(terms["divergence"])
        clean, attacked = map(tf.nn.softmax, (model.network(X), model.network(moved)))
        exact = 3.0 * tf.reduce_sum(clean * tf.math.log(clean / attacked))
    np.testing.assert_allclose(outputs, model.network(X), rtol=1e-6)
    np.testing.assert_allclose(
        terms["nll"], tf.nn.sparse_softmax_cross_entropy_with_logits(Y, outputs),
        rtol=1e-6)
    np.testing.assert_allclose(total, exact, rtol=1e-4)
    for weight in model.trainable_variables:
        np.testing.assert_allclose(tape.gradient(total, weight),
                                   tape.gradient(exact, weight), rtol=1e-3, atol=1e-4)


def test_adversary_climbs_the_divergence_without_labels():
    """One step of it, from where it starts, written out."""
    model = _model(attack=dict(num_steps=1, step_size=0.15))
    ball = Ball(tf.constant(X), 0.2, 0.0, 1.0)
    found, other = (model.attacked(ball, y, KEY).inputs
                    for y in (tf.constant(Y, tf.int32), tf.zeros([12], tf.int32)))
    np.testing.assert_array_equal(found, other)
    start = model._attack.start(
        ball.center, noise.key(KEY, noise.ATTACK, 0, -1), 0.2, 0.0, 1.0)
    with tf.GradientTape() as tape:
        tape.watch(start)
        value = tf.reduce_sum(divergence(model.network(X), model.network(start)))
    moved = start + 0.15 * tf.sign(tape.gradient(value, start))
    np.testing.assert_allclose(
        found, np.clip(np.clip(moved, X - 0.2, X + 0.2), 0.0, 1.0), atol=1e-6)


def test_without_weight_or_radius_it_is_standard_training():
    for kwargs in ({"beta": 0.0}, {"epsilon": 0.0}):
        model = _model(**kwargs)
        logs, _ = model.objective(X, Y, None, KEY)
        nll = tf.nn.sparse_softmax_cross_entropy_with_logits(Y, model.network(X))
        np.testing.assert_allclose(logs["loss"], np.mean(nll), rtol=1e-6)


def test_an_impossible_weight_is_refused():
    with pytest.raises(ValueError, match="beta=-1"):
        _model(beta=-1)
