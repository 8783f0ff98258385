"""ConfidNet: what it learns, and what it leaves alone."""

import functools

import keras
import numpy as np
import pytest
import tensorflow as tf
from absl import logging

from bdlzoo.core import noise
from bdlzoo.methods.confid_net import ConfidNet
from bdlzoo.metrics.ranking import ap_errors
from bdlzoo.model.stochastic_model import StochasticModel
from bdlzoo.networks import MLP

RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 6)).astype("float32")
Y = (X[:, 0] + 0.5 * RNG.normal(size=400) > 0).astype("int32") + (X[:, 1] > 1)


def _network(normalise=False):
    keras.utils.set_random_seed(0)
    extra = [keras.layers.BatchNormalization()] if normalise else []
    return keras.Sequential([
        keras.Input((6,)), keras.layers.Dense(16), *extra,
        keras.layers.Activation("relu"), keras.layers.Dropout(0.3),
        keras.layers.Dense(3)])


@functools.cache
def _trained():
    network = _network()
    network.compile(keras.optimizers.Adam(0.02),
                    keras.losses.SparseCategoricalCrossentropy(True))
    network.fit(X, Y, batch_size=40, epochs=2, shuffle=False, verbose=0)
    return network.get_weights()


def _model(network=None, hidden=(16,), **kwargs):
    """A model whose classifier was trained elsewhere."""
    if network is None:
        network = _network()
        network.set_weights(_trained())
    keras.utils.set_random_seed(1)
    model = ConfidNet(network, hidden=hidden, seed=3, **kwargs)
    model.build((None, 6))
    return model


def _learn(model, rows=slice(None), **options):
    return model.fit_confidence(X[rows], Y[rows], **{**dict(
        epochs=2, tune_epochs=0, learning_rate=3e-3, tune_learning_rate=3e-3,
        batch_size=40, verbose=0), **options})


def _values(part):
    return [w.numpy() for w in part.weights]


def _moved(before, after):
    return [not np.array_equal(a, b) for a, b in zip(before, after, strict=True)]


def test_predictions_stay_the_same_to_the_last_bit():
    """With BatchNorm, whose statistics a forward pass in training would move."""
    model = _model(_network(normalise=True))
    model.compile(keras.optimizers.Adam(0.02))
    head = _values(model.head)
    model.fit(X, Y, batch_size=40, epochs=2, verbose=0)
    assert not any(_moved(head, _values(model.head)))
    weights, before = _values(model.network), model.predict(X, verbose=0)
    state = [v.numpy() for v in model.optimizer.variables]
    with pytest.raises(ValueError, match="fit_confidence"):
        model.confidence(X)
    history = _learn(model, tune_epochs=2)
    np.testing.assert_array_equal(model.predict(X, verbose=0), before)
    assert not any(_moved(weights, _values(model.network)))
    assert not any(_moved(state, [v.numpy() for v in model.optimizer.variables]))
    assert all(_moved(head, _values(model.head)))
    # All of the clone learns, but for statistics and the layer that nobody reads.
    names = [w.path.split("/")[-1] for w in model.clone.weights]
    assert _moved(weights, _values(model.clone)) == [
        "moving" not in name for name in names[:-2]] + [False] * 2
    assert model.trainable_variables == model.network.trainable_variables
    assert [len(values) for values in history.values()] == [4, 4]
    assert model.confidence(X).shape == (400,)
    model.fit(X, Y, verbose=0)
    with pytest.raises(ValueError, match="earlier classifier"):
        model.confidence(X)


def test_phase_two_trains_the_head_alone_on_one_noisy_pass():
    """One mask for features and targets; no gradient for the classifier."""
    model = _model(error_weight=5.0)
    x, y = X[:40], Y[:40]
    key = noise.key(7)
    with tf.GradientTape() as tape:
        logs, _ = model._match(x, y, None, key, noisy=True)
    with noise.draws(key):
        features = model._encoder(x)
    logits = model.network.layers[-1](features)
    assert np.abs(features - model._encoder(x)).max() > 0.1
    truth = tf.gather(tf.nn.softmax(logits), y, batch_dims=1).numpy()
    wrong = np.argmax(logits, -1) != y
    learnt = tf.sigmoid(model.head(features)).numpy()[:, 0]
    assert 0 < wrong.sum() < 40
    expected = np.mean(np.where(wrong, 5.0, 1.0) * (learnt - truth)**2)
    np.testing.assert_allclose(logs["loss"], expected, rtol=1e-5)
    np.testing.assert_allclose(logs["errors"], wrong.mean(), rtol=1e-6)
    assert tape.gradient(logs["loss"], model.network.trainable_variables) == (
        [None] * 4)


def test_cross_entropy_has_the_same_best_confidence():
    model = _model(loss="cross_entropy", error_weight=2.0)
    logits = tf.Variable([0.3, -1.2])
    truth, wrong = tf.constant([0.9, 0.2]), tf.constant([False, True])
    c = 1 / (1 + np.exp([-0.3, 1.2]))
    expected = -([0.9, 0.2] * np.log(c) + [0.1, 0.8] * np.log(1 - c))
    np.testing.assert_allclose(model._loss(logits, truth, wrong),
                               np.mean([1.0, 2.0] * expected), rtol=1e-5)
    logits.assign(np.log([9.0, 0.25]))  # A confidence of 0.9 and of 0.2.
    with tf.GradientTape() as tape:
        loss = model._loss(logits, truth, wrong)
    np.testing.assert_allclose(tape.gradient(loss, logits), 0.0, atol=1e-7)
    with pytest.raises(ValueError, match="'squared', 'cross_entropy'"):
        _model(loss="absolute")


def test_phase_three_reads_the_clone_without_dropout():
    model = _model()
    model.clone.set_weights([2.0 * w for w in model.network.get_weights()])
    logs, _ = model._match(X, Y, None, noise.key(7), noisy=False)
    hidden = tf.nn.relu(model.clone.layers[0](X))
    learnt = tf.sigmoid(model.head(hidden)).numpy()[:, 0]
    truth = model.predict(X, verbose=0)[np.arange(400), Y]
    np.testing.assert_allclose(logs["loss"], np.mean((learnt - truth)**2), rtol=1e-5)


def test_head_finds_errors_that_the_largest_probability_cannot():
    """It reads the first input alone, and is wrong where the third is high."""
    network = keras.Sequential([keras.Input((6,)), keras.layers.Dense(12, "relu"),
                                keras.layers.Dense(2)])
    model = _model(network, hidden=(32,))
    last = np.zeros((12, 2))
    last[0], last[6] = (9, -9), (-9, 9)  # Class 0 where the first input is high.
    network.set_weights([np.concatenate([np.eye(6), -np.eye(6)], axis=1),
                         np.zeros(12), last, np.zeros(2)])
    y = ((X[:, 0] < 0) ^ (X[:, 2] > 1.0)).astype("int32")
    wrong = np.argmax(model.predict(X, verbose=0), -1) != y
    np.testing.assert_array_equal(wrong, X[:, 2] > 1.0)
    model.fit_confidence(X[:300], y[:300], epochs=40, tune_epochs=0,
                         learning_rate=0.01, batch_size=50, verbose=0)
    held = slice(300, 400)
    assert ap_errors(wrong[held], model.confidence(X[held])) > 0.95
    largest = model.predict(X[held], verbose=0).max(-1)
    assert ap_errors(wrong[held], largest) < 0.5


def test_epoch_with_the_best_ranking_of_errors_is_kept():
    """It is one before tuning, whose steps are far too long here."""
    model = _model()
    x, y = X[200:], Y[200:]
    wrong = np.argmax(model.predict(x, verbose=0), -1) != y
    history = _learn(model, slice(200), validation_data=(x, y), epochs=8,
                     learning_rate=0.03, tune_epochs=2, tune_learning_rate=3.0)
    scores = history["val_ap_errors"]
    assert max(scores) not in scores[8:]
    assert ap_errors(wrong, model.confidence(x)) == pytest.approx(max(scores))
    assert not any(_moved(_values(model.clone), _values(model.network)))


def test_without_errors_to_find_the_lowest_loss_is_kept(monkeypatch):
    said = []
    monkeypatch.setattr(logging, "warning", lambda *text: said.append(
        text[0] % text[1:]))
    model = _model()
    right = np.argmax(model.predict(X, verbose=0), -1) == Y
    history = _learn(model, validation_data=(X[right][:50], Y[right][:50]), epochs=8)
    assert len(said) == 1 and "50 validation rows 0 are misclassified" in said[0]
    truth = model.predict(X[right][:50], verbose=0).max(-1)
    loss = np.mean((model.confidence(X[right][:50]) - truth)**2)
    assert loss == pytest.approx(min(history["val_loss"]), rel=1e-4)


def test_rows_without_errors_are_said_to_teach_nothing(monkeypatch):
    said = []
    monkeypatch.setattr(logging, "warning", lambda *text: said.append(
        text[0] % text[1:]))
    model = _model(MLP((6,), (8,), 3))
    right = np.argmax(model.predict(X, verbose=0), -1) == Y
    _learn(model, right, epochs=1)
    assert len(said) == 1 and "no error" in said[0]


def test_saved_and_served_models_have_head_and_clone(tmp_path, monkeypatch):
    model = _model(error_weight=2.0)
    assert "learnt_confidence" not in model.endpoints()[
        "serving_default"][0](tf.constant(X[:3]))
    _learn(model)
    learnt = model.confidence(X)
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(loaded.confidence(X), learnt)
    assert (loaded.hidden, loaded.error_weight) == ((16,), 2.0)
    monkeypatch.setattr("bdlzoo.surgery.memory.rows_at_once", lambda *_: 150)
    np.testing.assert_allclose(model.confidence(X), learnt, atol=1e-6)
    served = tf.saved_model.load(model.export(tmp_path)).signatures
    for name, request in (("serving_default", {}), ("predict", dict(
            num_samples=tf.constant([2]), seed=tf.constant([[1, 0]])))):
        answer = served[name](inputs=tf.constant(X), **request)
        np.testing.assert_allclose(answer["learnt_confidence"], learnt, atol=1e-6)
        np.testing.assert_allclose(answer["probabilities"],
                                   model.predict(X, verbose=0), atol=1e-6)


@pytest.mark.slow
def test_two_runs_of_one_seed_are_equal_to_the_last_bit():
    runs = []
    for _ in range(2):
        model = _model()
        _learn(model, epochs=1)
        runs.append(model.confidence(X))
    np.testing.assert_array_equal(*runs)


def test_phases_have_rows_and_masks_of_their_own(monkeypatch):
    """Those of `fit` again would be what the classifier knows by heart."""
    keys, fit = [], StochasticModel.fit

    def spy(self, *args, **options):
        keys.append(tuple(noise.key(self.seed, noise.TRAIN).numpy()))
        return fit(self, *args, **options)

    monkeypatch.setattr(StochasticModel, "fit", spy)
    model = _model()
    model.compile("adam")
    model.fit(X, Y, batch_size=400, verbose=0)
    _learn(model, epochs=1, tune_epochs=1, batch_size=400)
    assert len(keys) == len(set(keys)) == 3


def test_what_cannot_work_is_refused():
    with pytest.raises(ValueError, match="likelihood of classes"):
        ConfidNet(_network(), "gaussian")
    with pytest.raises(ValueError, match="error_weight=0"):
        ConfidNet(_network(), error_weight=0)
    maps = keras.Sequential([keras.Input((4, 4, 1)), keras.layers.Conv2D(3, 3),
                             keras.layers.GlobalAveragePooling2D()])
    with pytest.raises(ValueError, match=r"features of shape \(1, 4, 4, 1\)"):
        ConfidNet(maps).build((None, 4, 4, 1))
    model = _model()
    with pytest.raises(ValueError, match="class indices"):
        _learn(model, validation_data=(X, Y + 3))
    with pytest.raises(ValueError, match="as many targets"):
        model.fit_confidence(X, Y[:-1])
