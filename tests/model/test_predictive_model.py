"""Any network that a user brings predicts, saves and serves."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.likelihoods import Bernoulli, HeteroscedasticGaussian
from bdlzoo.methods import MCDropout
from bdlzoo.metrics import CRPS
from bdlzoo.networks import MLP
from bdlzoo.surgery import memory
from tests.surgery import strange_networks

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 6)).astype("float32")
Y = RNG.integers(0, 3, 40).astype("int32")


def _fitted(network, **kwargs):
    model = MCDropout(network, seed=0, **kwargs)
    model.compile("adam")
    model.fit(X, Y, epochs=2, verbose=0)
    return model


@pytest.mark.slow
@pytest.mark.parametrize("name", ["nested", "sequential", "skips", "subclassed"])
def test_strange_networks_train_predict_save_and_serve(name, tmp_path):
    model = _fitted(strange_networks.ALL[name]())
    before = [w.numpy() for w in model.network.weights]
    draws = model.sample_outputs(X, 8, seed=1).numpy()
    model.predict(X, verbose=0)
    model.evaluate(X, Y, verbose=0)
    for old, new in zip(before, model.network.weights, strict=True):
        np.testing.assert_array_equal(old, new)  # BatchNorm's statistics too.
    assert np.ptp(draws, axis=0).min() > 0
    model.save(tmp_path / "model.keras")
    copy = keras.saving.load_model(tmp_path / "model.keras")
    np.testing.assert_allclose(copy.sample_outputs(X, 8, seed=1), draws, atol=1e-6)
    version = model.export(tmp_path / "served")
    served = tf.saved_model.load(str(version)).signatures["samples"]
    answer = served(inputs=tf.constant(X), num_samples=tf.constant([8]),
                    seed=tf.constant([[1, 0]]))["samples"]
    np.testing.assert_allclose(answer, draws, atol=1e-5)


def test_mobilenet_with_a_dropout_head_predicts_and_keeps_its_statistics():
    base = keras.applications.MobileNetV2(
        weights=None, include_top=False, input_shape=(32, 32, 3), pooling="avg")
    x = keras.layers.Dropout(0.5)(base.output)
    network = keras.Model(base.input, keras.layers.Dense(3)(x))
    images = RNG.uniform(size=(4, 32, 32, 3)).astype("float32")
    model = MCDropout(network, seed=0)
    before = [w.numpy() for w in network.weights]
    model.build((None, 32, 32, 3))
    draws = model.sample_outputs(images, 16, seed=0).numpy()
    assert np.ptp(draws, axis=0).max() > 0
    for old, new in zip(before, network.weights, strict=True):
        np.testing.assert_array_equal(old, new)
    assert len(model._parts.after) == 2  # Only dropout and the head per draw.
    [first] = noise.split(noise.key(0, noise.PREDICT), 1)
    with noise.draws(first, coherent=True):
        whole = network(images, training=False)
    np.testing.assert_allclose(draws[0], whole, atol=1e-5)


def test_call_and_predict_give_the_mean_over_draws():
    model = _fitted(strange_networks.skips(), num_samples=7)
    mean = model.predict_uncertainty(X).mean
    np.testing.assert_allclose(model.predict(X, verbose=0), mean, atol=1e-6)
    np.testing.assert_allclose(model(X), mean, atol=1e-6)
    np.testing.assert_allclose(mean.sum(-1), 1.0, atol=1e-5)


def test_evaluate_scores_the_averaged_predictive():
    model = _fitted(strange_networks.skips())
    metrics = model.evaluate(X, Y, batch_size=16, verbose=0, return_dict=True)
    mean = model.predict_uncertainty(X).mean
    assert set(metrics) == {"loss", "nll", "accuracy", "ece", "brier"}
    np.testing.assert_allclose(
        metrics["nll"], -np.log(mean[np.arange(40), Y]).mean(), rtol=1e-5)
    np.testing.assert_allclose(metrics["accuracy"], (mean.argmax(-1) == Y).mean())


def test_calibration_lowers_the_nll_and_keeps_every_label():
    model = _fitted(strange_networks.skips())
    before = model.predict_uncertainty(X)
    nll = model.evaluate(X, Y, verbose=0, return_dict=True)["nll"]
    temperature = model.calibrate(X, Y)
    after = model.predict_uncertainty(X)
    assert temperature != 1.0
    assert model.evaluate(X, Y, verbose=0, return_dict=True)["nll"] <= nll + 1e-6
    np.testing.assert_array_equal(after.label, before.label)
    np.testing.assert_allclose(model.predict(X, verbose=0), after.mean, atol=1e-6)


def test_rows_in_chunks_are_the_rows_at_once(monkeypatch):
    model = _fitted(strange_networks.skips())
    whole = model.sample_outputs(X, 5, seed=1)
    monkeypatch.setattr(memory, "rows_at_once", lambda *_: 7)
    np.testing.assert_allclose(model.sample_outputs(X, 5, seed=1), whole, atol=1e-6)


def test_dataset_gives_what_its_arrays_give():
    model = _fitted(strange_networks.skips())
    batches = tf.data.Dataset.from_tensor_slices((X, Y)).batch(16)
    np.testing.assert_allclose(model.predict_uncertainty(batches, 5, seed=1).mean,
                               model.predict_uncertainty(X, 5, seed=1).mean,
                               atol=1e-6)


@pytest.mark.parametrize("name", strange_networks.ALL)
def test_training_draws_in_a_tall_batch_equal_their_parts(name):
    """K draws a step: row b of draw k is the network on that row, its masks."""
    model = MCDropout(strange_networks.ALL[name](), seed=0, num_train_samples=3)
    model.build((None, 6))
    draws = model.train_draws(tf.constant(X), noise.key(0, noise.TRAIN))
    assert draws.shape == (3, 40, 3)
    # Few units: three draws of a row may keep the same ones by chance.
    assert np.mean(np.ptp(draws.numpy(), axis=0) == 0) < 0.05
    with noise.draws(noise.key(0, noise.TRAIN)):
        tall = model.network(np.concatenate([X] * 3), training=True)
    if name == "sequential":  # BatchNorm sees one batch in one, three in the other.
        np.testing.assert_allclose(draws, np.reshape(tall, (3, 40, 3)), atol=1e-5)


def test_regression_reports_its_metrics_and_user_metrics_replace_them():
    network = MLP((6,), (8,), 2, dropout=0.2)
    y = X[:, :1]
    model = MCDropout(network, HeteroscedasticGaussian(), seed=0)
    model.compile("adam")
    assert set(model.fit(X, y, verbose=0).history) == {"loss", "nll", "rmse"}
    metrics = model.evaluate(X, y, verbose=0, return_dict=True)
    assert set(metrics) == {"loss", "nll", "rmse", "crps", "coverage"}
    model.compile("adam", metrics=[CRPS(), {"type": "IntervalWidth"}, "mae"])
    metrics = model.evaluate(X, y, verbose=0, return_dict=True)
    prediction = model.predict_uncertainty(X)
    np.testing.assert_allclose(metrics["crps"], prediction.crps(y).numpy().mean(),
                               rtol=1e-4)
    low, high = prediction.interval(0.95)
    np.testing.assert_allclose(metrics["width"], (high - low).mean(), rtol=1e-4)
    assert "rmse" not in metrics and len(metrics) == 5


def test_metrics_of_the_user_come_back_with_the_file(tmp_path):
    model = MCDropout(MLP((6,), (8,), 1, dropout=0.2), Bernoulli(), seed=0)
    model.compile("adam", metrics=["accuracy", "AUC"])
    model.fit(X, Y > 1, verbose=0)
    model.save(tmp_path / "model.keras")
    copy = keras.saving.load_model(tmp_path / "model.keras")
    metrics = copy.evaluate(X, Y > 1, verbose=0, return_dict=True)
    assert set(metrics) == {"loss", "nll", "accuracy", "auc"}


def test_one_wrong_word_gives_a_clear_error():
    network = MLP((6,), (8,), 3)
    for make, words in (
            (lambda: MCDropout(network, likelihood="categorial"), "Categorical"),
            (lambda: MCDropout(network, num_samples=0), "num_samples=0"),
            (lambda: MCDropout(keras.layers.Dense(2)), "Keras 3 model"),
            (lambda: MCDropout(network).compile("adam", loss="mse"), "`loss`"),
            (lambda: MCDropout(network).compile("adam", metrics="ece"), "list"),
            (lambda: MCDropout(network).compile("adam", metrics=["eec"]), "eec"),
            (lambda: MCDropout(network).export("nowhere"), "fit"),
            (lambda: MCDropout(keras.Sequential([
                keras.Input((6,)), keras.layers.Dense(3, activation="softmax")
            ])).build((None, 6)), "logits")):
        with pytest.raises(ValueError, match=words):
            make()


def test_draws_differ_where_they_are_made_one_after_another():
    """Noise inside of a recurrent layer cannot be folded into a head."""
    network = keras.Sequential([keras.Input((4, 3)), keras.layers.LSTM(3, dropout=0.5),
                                keras.layers.Dense(2)])
    draws = MCDropout(network, seed=0).sample_outputs(np.ones((1, 4, 3), "float32"), 8)
    assert len(np.unique(draws[:, 0, 0])) > 4
