"""Draws of a folded head are those of the loop, and other heads are left alone."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo import methods
from bdlzoo.surgery import conversion, folded_head, memory, trunk

X = np.random.default_rng(0).normal(size=(7, 6)).astype("float32")


def _model(*head, **kwargs):
    network = keras.Sequential(
        [keras.Input((6,)), keras.layers.Dense(20, "relu"), *head])
    model = methods.MCDropout(network, seed=3, **kwargs)
    model.build((None, 6))
    for weight in network.weights:  # No bias at its start: each must be used.
        weight.assign(np.random.default_rng(1).normal(size=weight.shape))
    return model


def _in_turn(model, count, seed):
    model._head = None
    model._draw_from_seed = tf.function(model._draw_from_seed.python_function)
    return model.sample_outputs(X, count, seed)


@pytest.mark.parametrize("dropout", [
    keras.layers.Dropout(0.5), keras.layers.Dropout(0.3, noise_shape=(None, 1)),
    keras.layers.GaussianDropout(0.4)], ids=["bernoulli", "one mask", "gaussian"])
@pytest.mark.parametrize("dense", [
    dict(units=4), dict(units=3, use_bias=False, activation="tanh")],
    ids=["logits", "activated"])
def test_draws_are_those_of_the_loop(dropout, dense):
    model = _model(dropout, keras.layers.Dense(**dense))
    assert model._head is not None
    folded = model.sample_outputs(X, 20, seed=8)
    assert folded.shape == (20, 7, dense["units"])
    np.testing.assert_allclose(folded, _in_turn(model, 20, 8), rtol=1e-4, atol=1e-5)
    assert np.ptp(folded, axis=0).max() > 0.1


def test_more_draws_than_memory_holds_are_taken_in_turn(monkeypatch):
    monkeypatch.setattr(memory, "BUDGET", 4 * 8 * 20 * 4 * 10)
    model = _model(keras.layers.Dropout(0.5), keras.layers.Dense(4))
    assert model._head.most == 10
    calls = []
    draws = model._head.draws
    model._head.draws = lambda *args: calls.append(1) or draws(*args)
    many = model.sample_outputs(X, 12, seed=8)
    np.testing.assert_allclose(many[:10], model.sample_outputs(X, 10, seed=8),
                               rtol=1e-4, atol=1e-5)
    assert calls == [1]  # One graph for any number, with both ways in it.


@pytest.mark.parametrize("head", [
    [keras.layers.Dropout(0.5)],
    [keras.layers.Dropout(0.5), keras.layers.ReLU()],
    [keras.layers.Dropout(0.5), keras.layers.Dense(4), keras.layers.Dense(4)],
    [keras.layers.Reshape((4, 5)), keras.layers.Dropout(0.5), keras.layers.Dense(4)],
    [keras.layers.Dropout(0.5), keras.layers.Dense(folded_head._LARGEST // 20 + 1)],
    [keras.layers.Dense(4)]],
    ids=["alone", "no dense", "two dense", "positions", "large", "no dropout"])
def test_other_heads_are_not_folded(head):
    assert _model(*head)._head is None


def test_head_with_another_output_is_not_folded():
    inputs = keras.Input((6,))
    drop = keras.layers.Dropout(0.5)(inputs)
    network = keras.Model(inputs, [keras.layers.Dense(4)(drop), drop])
    conversion.adopt(network)
    assert folded_head.FoldedHead.of(trunk.Trunk(network)) is None


def test_half_precision_is_kept():
    keras.config.set_dtype_policy("mixed_bfloat16")
    try:
        model = _model(keras.layers.Dropout(0.5), keras.layers.Dense(4))
    finally:
        keras.config.set_dtype_policy("float32")
    folded = model.sample_outputs(X, 5, seed=8)
    assert folded.dtype == tf.float32
    np.testing.assert_allclose(folded, _in_turn(model, 5, 8), atol=0.2)
