"""The slot: the identity at first, then the same in memory, file and server."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core.class_prediction import ClassPrediction
from bdlzoo.core.regression_prediction import RegressionPrediction
from bdlzoo.methods import MCDropout
from bdlzoo.networks import MLP
from bdlzoo.posthoc import Calibration

PREDICTION = ClassPrediction(tf.math.log([[[0.7, 0.2, 0.1]]]))
RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 6)).astype("float32")
Y = (X[:, :3] + RNG.gumbel(size=(200, 3))).argmax(-1)
NUMBERS = X[:, :2] + RNG.standard_t(3, size=(200, 2))


def _model(likelihood="categorical", outputs=3):
    model = MCDropout(MLP((6,), (8,), outputs, dropout=0.3), likelihood,
                      num_samples=8, seed=3)
    model.build((None, 6))
    return model


def _slot(prediction=PREDICTION):
    slot = Calibration()
    slot.build(prediction)
    return slot


def test_slot_starts_as_the_identity():
    np.testing.assert_allclose(
        _slot().correct(PREDICTION).mean, [[0.7, 0.2, 0.1]], atol=1e-6)


def test_slot_is_seen_by_a_function_that_was_traced_before():
    slot = _slot()
    mean = tf.function(lambda: slot.correct(PREDICTION).mean)
    before = mean()
    slot.temperature.assign(1e6)
    np.testing.assert_allclose(mean(), [[1 / 3] * 3], atol=1e-5)
    assert not np.allclose(before, mean())


@pytest.mark.parametrize("jit_compile", [False, True])
def test_one_repair_replaces_the_other_without_a_retrace(jit_compile):
    slot, one = _slot(), np.zeros([1])
    answer = tf.function(lambda: slot.correct(PREDICTION, one).measures(True),
                         jit_compile=jit_compile)
    assert answer()["prediction_set"].numpy().all() and not slot.is_conformal()
    slot.cover(0.9, 0.5)
    np.testing.assert_array_equal(answer()["prediction_set"], [[1, 0, 0]])
    slot.repair("vector", ([0.0] * 3, np.log([1.0, 2.0, 1.0])))
    np.testing.assert_allclose(answer()["probabilities"], [[0.25, 0.5, 0.25]],
                               rtol=1e-5)
    # The threshold was that of another predictive.
    assert answer()["prediction_set"].numpy().all() and not slot.is_conformal()
    line = np.tile(np.linspace(0, 1, 64), (3, 1))
    slot.repair("isotonic", (line, line**2))
    np.testing.assert_allclose(answer()["probabilities"],
                               np.array([[0.49, 0.04, 0.01]]) / 0.54, rtol=3e-2)
    slot.repair("temperature", 1e6)
    np.testing.assert_allclose(answer()["probabilities"], [[1 / 3] * 3], atol=1e-5)
    slot.repair("vector", ([1.0] * 3, [0.0] * 3))
    np.testing.assert_allclose(answer()["probabilities"], [[0.7, 0.2, 0.1]],
                               rtol=1e-5)
    assert slot.temperature.numpy() == 1.0
    assert answer.experimental_get_tracing_count() == 1


def test_temperature_keeps_every_label():
    logits = np.random.default_rng(0).normal(size=(1, 50_000, 3)).astype("float32")
    prediction = ClassPrediction(tf.nn.log_softmax(logits))
    slot = _slot()
    for temperature in (0.05, 1.7, 30.0):
        slot.repair("temperature", temperature)
        corrected = slot.correct(prediction)
        np.testing.assert_array_equal(corrected.label, prediction.label)
        np.testing.assert_array_equal(corrected.mean.argmax(-1), prediction.label)


def test_numbers_have_an_interval_and_a_threshold_for_each():
    prediction = RegressionPrediction(np.zeros((1, 4, 2)), np.ones((1, 4, 2)))
    slot = _slot(prediction)
    slot.repair("temperature", 2.0)
    assert not slot.is_conformal()
    slot.cover(0.9, [1.0, 3.0])
    low, high = slot.correct(prediction, np.zeros(4)).conformal_interval
    np.testing.assert_allclose(high, [[2.0, 6.0]] * 4)
    np.testing.assert_allclose(low, -high)


@pytest.mark.parametrize("limit", [0.75, 1.2, np.inf])
def test_weights_of_older_files_keep_their_sets(limit):
    """They end before `extra`, and their threshold is one of `1 - p`."""
    slot, older, uniforms = _slot(), {}, np.linspace(0.0, 0.9, 30)
    slot.cover(0.9, limit, cumulative=1.0, penalty=0.2, free_rank=1.0)
    slot.save_own_variables(older)
    del older[str(len(older) - 1)]
    loaded = _slot()
    loaded.load_own_variables(older)
    assert loaded.is_conformal() == np.isfinite(limit)
    prediction = ClassPrediction(tf.math.log([[[0.7, 0.2, 0.1]] * 30]))
    scores = [0.0, 0.7, 0.9] + uniforms[:, None] * [0.7, 0.2, 0.1] + [0.0, 0.2, 0.4]
    np.testing.assert_array_equal(
        loaded.correct(prediction, uniforms).prediction_set, scores <= limit)


@pytest.mark.parametrize("repair, method", [
    ("temperature", "lac"), ("vector", "aps"), ("isotonic", "raps")])
def test_compiled_predictions_see_what_is_fitted(repair, method):
    model = _model()
    model.predict(X[:32], verbose=0)  # Traced before anything was fitted.
    plain = model.predict_uncertainty(X[:32]).mean
    model.calibrate(X, Y, method=repair)
    model.calibrate(X, Y, method=method, level=0.75)
    prediction = model.predict_uncertainty(X)
    sets = prediction.prediction_set
    assert np.abs(prediction.mean[:32] - plain).max() > 1e-3
    np.testing.assert_allclose(model.predict(X[:32], verbose=0),
                               prediction.mean[:32], rtol=1e-5)
    # 151 of 200 by the threshold; these rows have fitted it.
    assert sets[np.arange(200), Y].sum() == 151
    assert 1 < prediction.set_size.mean() < 3
    np.testing.assert_array_equal(
        model.predict_uncertainty(X[9:10]).prediction_set, sets[9:10])


def test_file_and_server_answer_with_the_same_sets(tmp_path):
    model = _model()
    model.calibrate(X, Y, method="isotonic")
    model.calibrate(X, Y, method="raps", level=0.75, penalty=0.05)
    prediction = model.predict_uncertainty(X)
    sets = prediction.prediction_set
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    again = loaded.predict_uncertainty(
        tf.data.Dataset.from_tensor_slices((X, Y)).batch(64))
    np.testing.assert_allclose(again.mean, prediction.mean, atol=1e-6)
    np.testing.assert_array_equal(again.prediction_set, sets)
    assert loaded.calibration.level.numpy() == 0.75

    served = tf.saved_model.load(str(model.export(tmp_path / "served"))).signatures
    answer = served["serving_default"](inputs=tf.constant(X))
    np.testing.assert_array_equal(answer["prediction_set"], sets)
    asked = served["predict"](inputs=tf.constant(X), num_samples=tf.constant([5]),
                              seed=tf.constant([[7, 0]]))
    np.testing.assert_array_equal(
        asked["prediction_set"],
        model.predict_uncertainty(X, 5, seed=7).prediction_set)


def test_file_and_server_answer_with_the_same_intervals(tmp_path):
    model = _model({"type": "Gaussian"}, outputs=2)
    model.calibrate(X, NUMBERS)
    with pytest.raises(ValueError, match="model.calibrate"):
        _ = model.predict_uncertainty(X).conformal_interval
    model.calibrate(X, NUMBERS, method="interval", level=0.75)
    low, high = model.predict_uncertainty(X).conformal_interval
    inside = (low - 1e-5 <= NUMBERS) & (NUMBERS <= high + 1e-5)
    np.testing.assert_array_equal(inside.sum(axis=0), [151, 151])
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    np.testing.assert_allclose(loaded.predict_uncertainty(X).conformal_interval,
                               (low, high), atol=1e-5)
    served = tf.saved_model.load(str(model.export(tmp_path / "served"))).signatures
    answer = served["serving_default"](inputs=tf.constant(X))
    np.testing.assert_allclose(answer["conformal_low"], low, atol=1e-5)
    np.testing.assert_allclose(answer["conformal_high"], high, atol=1e-5)


def test_model_refuses_what_does_not_fit_it():
    model = _model()
    with pytest.raises(ValueError, match="models of classes.*method='interval'"):
        model.calibrate(X, Y, method="interval")
    with pytest.raises(ValueError, match="at least 9 calibration rows"):
        model.calibrate(X[:8], Y[:8], method="lac")
    with pytest.raises(ValueError, match="options"):
        model.calibrate(X, Y, penalty=0.1)
    with pytest.raises(ValueError, match="class indices"):
        model.calibrate(X, np.where(Y == 0, 0.5, Y), method="aps")
    with pytest.raises(ValueError, match="finite targets"):
        model.calibrate(X, np.where(Y == 0, np.nan, Y), method="aps")
    with pytest.raises(ValueError, match="first at index 3"):
        model.calibrate(np.where(np.arange(200)[:, None] == 3, np.nan, X), Y)
    with pytest.raises(ValueError, match="model.calibrate"):
        _ = model.predict_uncertainty(X).prediction_set
    numbers = _model({"type": "Gaussian"}, outputs=2)
    with pytest.raises(ValueError, match="models of numbers.*method='isotonic'"):
        numbers.calibrate(X, NUMBERS, method="isotonic")
    model.network.weights[-1].assign(np.full(3, np.nan))
    with pytest.raises(ValueError, match="NaN"):
        model.calibrate(X, Y, method="vector")
    np.testing.assert_array_equal(model.calibration.kind, 0)
