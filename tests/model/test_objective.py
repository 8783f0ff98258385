"""Loss and scores of models whose outputs have positions."""

import keras
import numpy as np
import pytest
import tensorflow as tf

import bdlzoo
from bdlzoo.core import noise
from bdlzoo.likelihoods import Categorical
from bdlzoo.methods import (
    DEGP,
    SGLD,
    TRADES,
    ConfidNet,
    DeepEnsemble,
    Deterministic,
    MCDropout,
    MeanFieldVI,
    PACBayes,
)

layers = keras.layers
RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(8, 6, 4)).astype("float32")
Y = RANDOM.integers(0, 3, (8, 6))
WEIGHTS = RANDOM.uniform(0.5, 2.0, (8, 6)).astype("float32")
KEY = noise.key(0, noise.TRAIN)


def _dense(*shape, outputs=3, **options):
    return keras.Sequential([keras.Input(shape), layers.Dense(outputs, **options)])


def _model(network, likelihood="categorical", kind=Deterministic, num_data=8,
           **options):
    model = kind(network, likelihood, seed=0, **options)
    model.compile("sgd")
    model.num_data.assign(num_data)
    return model


def _pair(likelihood="categorical", **options):
    """The same model of positions, and of rows."""
    maps, rows = (_model(_dense(*shape), likelihood, prior_scale=1.0, num_data=size,
                         **options) for shape, size in (((6, 4), 10), ((4,), 60)))
    maps.build((None, 6, 4))
    rows.build((None, 4))
    rows.network.set_weights(maps.network.get_weights())
    return maps, rows


def _step(model, x, y, weights=None):
    """Logs and gradients of a step."""
    with tf.GradientTape() as tape:
        logs, _ = model.objective(tf.constant(x), tf.constant(y), weights, KEY)
    found = tape.gradient(logs["loss"], model.network.trainable_variables)
    return {name: float(value) for name, value in logs.items()}, [
        np.asarray(tf.convert_to_tensor(slope)) for slope in found]


def _same(first, second, **tolerance):
    for name in first[0]:
        np.testing.assert_allclose(first[0][name], second[0][name], **tolerance)
    for one, other in zip(first[1], second[1], strict=True):
        np.testing.assert_allclose(one, other, **tolerance)


def _evaluate(model, x, y, weights=None, batch_size=8):
    return model.evaluate(x, y, batch_size=batch_size, sample_weight=weights,
                          verbose=0, return_dict=True)


def test_positions_are_rows_in_loss_gradient_and_scores():
    maps, rows = _pair()
    flat = X.reshape(48, 4), Y.ravel()
    _same(_step(maps, X, Y), _step(rows, *flat), rtol=1e-5, atol=1e-7)
    _same(_step(maps, X, Y, WEIGHTS), _step(rows, *flat, WEIGHTS.ravel()),
          rtol=1e-5, atol=1e-7)
    of_rows = np.linspace(0.5, 2.0, 8, dtype="float32")
    _same(_step(maps, X, Y, of_rows), _step(rows, *flat, np.repeat(of_rows, 6)),
          rtol=1e-5, atol=1e-7)
    for first, second in ((None, None), (WEIGHTS, WEIGHTS.ravel())):
        found = _evaluate(maps, X, Y, first)
        wanted = _evaluate(rows, *flat, second, batch_size=48)
        assert set(found) == {"loss", "nll", "accuracy", "ece", "brier"}
        for name, value in found.items():
            np.testing.assert_allclose(value, wanted[name], rtol=1e-5, err_msg=name)


def test_one_hot_rows_equal_indices():
    maps, _ = _pair()
    _same(_step(maps, X, Y), _step(maps, X, np.eye(3)[Y]), rtol=1e-6, atol=1e-6)
    found, wanted = (_evaluate(maps, X, y) for y in (np.eye(3, dtype="int64")[Y], Y))
    for name, value in found.items():
        np.testing.assert_allclose(value, wanted[name], atol=1e-6, err_msg=name)


def test_ignored_class_is_as_if_its_positions_were_dropped():
    maps, rows = _pair(Categorical(ignore_class=255))
    y = np.where(RANDOM.random(Y.shape) < 0.3, 255, Y).astype("uint8")
    kept = y.ravel() != 255
    flat = X.reshape(48, 4)[kept], y.ravel()[kept]
    found, wanted = _step(maps, X, y), _step(rows, *flat)
    # The prior counts once for each position that counts: 10 rows of them.
    share = kept.sum() / 8
    loss = wanted[0]["nll"] + wanted[0]["kl"] / (10 * share)
    np.testing.assert_allclose(found[0]["nll"], wanted[0]["nll"], rtol=1e-5)
    np.testing.assert_allclose(found[0]["loss"], loss, rtol=1e-5)
    scores = _evaluate(maps, X, y)
    for name, value in _evaluate(rows, *flat, batch_size=48).items():
        np.testing.assert_allclose(scores[name], value, rtol=1e-5, err_msg=name)


def _tagger(steps):
    return keras.Sequential([
        keras.Input((steps,), dtype="int32"), layers.Embedding(9, 4, mask_zero=True),
        layers.Dropout(0.4), layers.GRU(5, return_sequences=True), layers.Dense(3)])


@pytest.mark.parametrize("kind", [
    Deterministic, pytest.param(DeepEnsemble, marks=pytest.mark.slow)])
def test_padding_changes_nothing(kind):
    short = RANDOM.integers(1, 9, (8, 5))
    short[2:5, 3:] = 0
    long = np.pad(short, ((0, 0), (0, 4)))
    y = RANDOM.integers(0, 3, (8, 5))
    network = keras.Sequential([
        keras.Input((None,), dtype="int32"), layers.Embedding(9, 4, mask_zero=True),
        layers.Dense(5, "relu"), layers.Dense(3)])
    model = _model(network, kind=kind, num_data=8)
    model.build((None, None))
    first = _step(model, short, y)
    second = _step(model, long, np.pad(y, ((0, 0), (0, 4))))
    _same(first, second, rtol=1e-5, atol=1e-7)
    found, wanted = (_evaluate(model, x, np.pad(y, ((0, 0), (0, x.shape[1] - 5))))
                     for x in (long, short))
    for name, value in found.items():
        np.testing.assert_allclose(value, wanted[name], rtol=1e-5, err_msg=name)
    temperature = model.calibrate(short, y)
    model.calibration.repair("temperature", 1.0)
    np.testing.assert_allclose(model.calibrate(long, np.pad(y, ((0, 0), (0, 4)))),
                               temperature, rtol=1e-5)
    np.testing.assert_allclose(model.predict(long, verbose=0)[:, :5],
                               model.predict(short, verbose=0), atol=1e-6)


def test_several_draws_of_a_step_keep_the_mask():
    x = RANDOM.integers(1, 9, (4, 6))
    x[:, 3:] = 0
    model = _model(_tagger(6), kind=MCDropout, num_train_samples=3)
    model.build((None, 6))
    draws = model.train_draws(tf.constant(x), KEY).numpy()
    # A masked step repeats the output of the last one.
    np.testing.assert_allclose(draws[:, :, 3:], draws[:, :, 2:3].repeat(3, 2),
                               atol=1e-6)
    assert not np.allclose(draws[0], draws[1])


def test_masks_that_attention_reads_are_repeated_too():
    """It takes them from the tensor, not from its arguments."""
    inputs = keras.Input((6,))
    x = keras.layers.Embedding(9, 4, mask_zero=True)(inputs)
    x = keras.layers.Dropout(1e-6)(x)
    x = keras.layers.MultiHeadAttention(2, 3)(x, x)
    network = keras.Model(inputs, keras.layers.Dense(2)(x[:, 0]))
    model = MCDropout(network, num_train_samples=3)
    model.build((None, 6))
    x = RANDOM.integers(1, 9, (4, 6))
    x[:, 3:] = 0
    for draw in model.train_draws(tf.constant(x), KEY):
        np.testing.assert_allclose(draw, network(x), atol=1e-4)


def test_several_labels_equal_one_model_for_each():
    labels = RANDOM.integers(0, 2, (8, 3))
    whole = _model(_dense(6, outputs=3), "bernoulli", num_data=8)
    whole.build((None, 6))
    kernel, bias = whole.network.get_weights()
    logs, slopes = _step(whole, X[:, :, 0], labels)
    losses = []
    for label in range(3):
        one = _model(_dense(6, outputs=1), "bernoulli", num_data=8)
        one.build((None, 6))
        one.network.set_weights([kernel[:, label:label + 1], bias[label:label + 1]])
        found, slope = _step(one, X[:, :, 0], labels[:, label])
        losses.append(found["loss"])
        np.testing.assert_allclose(slopes[0][:, label], slope[0][:, 0] / 3, atol=1e-6)
    np.testing.assert_allclose(logs["loss"], np.mean(losses), rtol=1e-6)


def test_loss_is_the_evidence_bound_of_a_position():
    network = bdlzoo.bayesianize(_dense(6, 4), technique="reparameterization")
    model = _model(network, kind=MeanFieldVI, num_data=8, num_samples=1)
    model.build((None, 6, 4))
    logs, _ = _step(model, X, Y)
    np.testing.assert_allclose(logs["loss"], logs["nll"] + logs["kl"] / 48, rtol=1e-5)
    scores = _evaluate(model, X, Y)
    draws = model.sample_outputs(X, 1)
    nll = -model.likelihood.log_prob(Y, draws).numpy().sum()
    np.testing.assert_allclose(scores["elbo"], -(nll + float(model.kl())), rtol=1e-5)


def test_noise_of_a_chain_is_that_of_all_positions():
    model = _model(_dense(6, 4), kind=SGLD, num_data=8, num_kept=2, prior_scale=None)
    model.build((None, 6, 4))
    model.build_optimizers()
    seen = []
    model.noisy = lambda slopes, variance, key: seen.append(float(variance)) or slopes
    model.objective(tf.constant(X), tf.constant(Y), None, KEY)
    model.update([tf.zeros_like(v) for v in model.trainable_variables], KEY)
    # The posterior of 8 rows of 6 positions, by steps of the rate of SGD.
    np.testing.assert_allclose(seen, 2.0 / (0.01 * 48), rtol=1e-5)


@pytest.mark.parametrize("shape, words", [
    ((8, 5), "with 5 on axis 1"), ((8, 6, 2), "axis 2 is no axis of positions")])
def test_weights_of_another_shape_are_refused_by_their_axis(shape, words):
    model = _model(_dense(6, 4))
    with pytest.raises(ValueError, match=words):
        model.fit(X, Y, sample_weight=np.ones(shape), verbose=0)


@pytest.mark.parametrize("targets, words", [
    (Y[:, 0], "1 axes of positions"), (Y[:, :5], "with 5 on axis 1"),
    (Y[..., None, None].repeat(2, -1), "1 axes of positions")])
def test_targets_of_another_shape_are_refused_by_their_axis(targets, words):
    model = _model(_dense(6, 4))
    for call in (model.fit, model.evaluate, model.calibrate):
        with pytest.raises(ValueError, match=words):
            call(X, targets)


def test_methods_of_rows_refuse_positions_by_their_axis():
    network = bdlzoo.bayesianize(_dense(6, 4))
    for kind, plain in ((PACBayes, network), (DEGP, _dense(6, 4)),
                        (TRADES, _dense(6, 4)), (ConfidNet, _dense(6, 4))):
        with pytest.raises(ValueError, match="positions on axis 1"):
            kind(plain, seed=0).build((None, 6, 4))


@pytest.mark.parametrize("outputs, words", [
    (lambda x: [x, x], r"network.output\[0\]"),
    (lambda x: {"a": x, "b": x}, r"network.output\['a'\]")])
def test_several_outputs_are_refused_with_advice(outputs, words):
    inputs = keras.Input((4,))
    network = keras.Model(inputs, outputs(layers.Dense(3)(inputs)))
    with pytest.raises(ValueError, match=words):
        _model(network).fit(X[:, 0], Y[:, 0])


def test_probabilities_of_any_layer_are_refused():
    inputs = keras.Input((4,))
    shares = layers.Dense(3, "softplus")(inputs)
    network = keras.Model(inputs, shares / keras.ops.sum(shares, -1, keepdims=True))
    with pytest.raises(ValueError, match="outputs are logits.*add up to 1"):
        _model(network).fit(X[:, 0], Y[:, 0])
    _model(network, Categorical(from_logits=False)).fit(X[:, 0], Y[:, 0], verbose=0)
