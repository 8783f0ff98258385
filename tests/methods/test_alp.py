"""Logit pairing: the distance of two logits, which pulls at both."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.methods import ALP

RNG = np.random.default_rng(0)
X = RNG.uniform(size=(12, 4)).astype("float32")
Y = RNG.integers(3, size=12)
KEY = noise.key(0, noise.TRAIN)


def _model(**kwargs):
    keras.utils.set_random_seed(0)
    network = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "tanh"),
                                keras.layers.Dense(3)])
    model = ALP(network, seed=0, epsilon=0.2, warm_up=0.0, **kwargs)
    model.build((None, 4))
    return model


def test_terms_are_likelihood_and_squared_distance():
    model = _model(pairing_weight=0.7)
    moved = X[::-1].copy()
    with tf.GradientTape(persistent=True) as tape:
        outputs, terms = model.terms(X, moved, Y)
        total = tf.reduce_sum(terms["pairing"])
        clean, attacked = model.network(X), model.network(moved)
        exact = 0.7 * tf.reduce_sum(tf.square(clean - attacked))
    np.testing.assert_allclose(outputs, attacked, rtol=1e-6)
    np.testing.assert_allclose(
        terms["nll"], tf.nn.sparse_softmax_cross_entropy_with_logits(Y, attacked),
        rtol=1e-6)
    np.testing.assert_allclose(total, exact, rtol=1e-5)
    for weight in model.trainable_variables[:2]:  # Both logits have the gradient.
        np.testing.assert_allclose(tape.gradient(total, weight),
                                   tape.gradient(exact, weight), rtol=1e-4, atol=1e-6)


def test_loss_adds_them_and_pairs_of_equals_cost_nothing():
    logs, _ = _model().objective(X, Y, None, KEY)
    assert logs["pairing"] > 0
    np.testing.assert_allclose(logs["loss"], logs["nll"] + logs["pairing"], rtol=1e-6)
    _, terms = _model().terms(X, X, Y)
    np.testing.assert_array_equal(terms["pairing"], 0.0)


def test_an_impossible_weight_is_refused():
    with pytest.raises(ValueError, match="pairing_weight=-1"):
        _model(pairing_weight=-1)
