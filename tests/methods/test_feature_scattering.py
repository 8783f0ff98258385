"""Feature scattering: soft labels, and batches that move without them."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.attacks.transport_loss import TransportLoss
from bdlzoo.core import noise
from bdlzoo.core.ball import Ball
from bdlzoo.methods import FeatureScattering

RNG = np.random.default_rng(0)
X = RNG.uniform(size=(12, 4)).astype("float32")
Y = RNG.integers(3, size=12)
KEY = noise.key(0, noise.TRAIN)


def _model(**kwargs):
    keras.utils.set_random_seed(0)
    wide = keras.initializers.RandomNormal(stddev=2.0, seed=0)
    network = keras.Sequential([
        keras.Input((4,)), keras.layers.Dense(8, "tanh", kernel_initializer=wide),
        keras.layers.Dense(3, kernel_initializer=wide)])
    model = FeatureScattering(network, seed=0, warm_up=0.0,
                              **{"epsilon": 0.2, **kwargs})
    model.build((None, 4))
    return model


def test_targets_are_smoothed():
    model = _model(smoothing=0.3)
    _, terms = model.terms(None, X, Y)
    soft = 0.15 + 0.55 * np.eye(3)[Y]
    exact = tf.nn.softmax_cross_entropy_with_logits(
        soft.astype("f"), model.network(X))
    np.testing.assert_allclose(terms["nll"], exact, rtol=1e-5)


def test_batch_moves_away_from_itself_without_labels():
    """One step up the cost of transport, written out."""
    model, ball = _model(), Ball(tf.constant(X), 0.2, 0.0, 1.0)
    found = model.attacked(ball, tf.zeros([12], tf.int32), KEY).inputs
    np.testing.assert_array_equal(
        found, model.attacked(ball, tf.ones([12], tf.int32), KEY).inputs)
    start = model._attack.start(
        ball.center, noise.key(KEY, noise.ATTACK, 0, -1), 0.2, 0.0, 1.0)
    with tf.GradientTape() as tape:
        tape.watch(start)
        value = TransportLoss()(model.network(start), None, model.network(X))
    moved = start + 0.2 * tf.sign(tape.gradient(value, start))
    np.testing.assert_allclose(
        found, np.clip(np.clip(moved, X - 0.2, X + 0.2), 0.0, 1.0), atol=1e-6)


def test_without_radius_and_smoothing_it_is_standard_training():
    model = _model(epsilon=0.0, smoothing=0.0)
    logs, _ = model.objective(X, Y, None, KEY)
    nll = tf.nn.sparse_softmax_cross_entropy_with_logits(Y, model.network(X))
    np.testing.assert_allclose(logs["loss"], np.mean(nll), rtol=1e-6)


def test_an_impossible_share_is_refused():
    with pytest.raises(ValueError, match="smoothing=1"):
        _model(smoothing=1)
