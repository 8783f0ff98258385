"""Calibration of draws: each method finds its truth, and others are refused."""

import types

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.likelihoods import Categorical, Gaussian
from bdlzoo.model import calibrating
from bdlzoo.posthoc import Calibration

RNG = np.random.default_rng(0)
LOGITS = RNG.normal(size=(1, 2000, 3)).astype("float32")
Y = (LOGITS[0] + RNG.gumbel(size=(2000, 3))).argmax(axis=-1)  # Drawn from the softmax.
ONES = np.ones(2000, "float32")


def _model(likelihood, draws):
    slot = Calibration()
    likelihood.build(draws.shape[1:])
    slot.build(likelihood.prediction(tf.constant(draws)))
    return types.SimpleNamespace(likelihood=likelihood, calibration=slot)


def _calibrate(model, draws, y, method, level=0.9, **options):
    calibrating.check_method(model.likelihood, method, draws, options)
    return calibrating.calibrate(model, draws, y, method, level, ONES, options)


def test_temperature_undoes_a_factor_on_the_logits():
    model = _model(Categorical(), LOGITS)
    right = _calibrate(model, LOGITS, Y, "temperature")
    np.testing.assert_allclose(right, 1.0, atol=0.1)
    found = _calibrate(model, 4.0 * LOGITS, Y, "temperature")
    np.testing.assert_allclose(found, 4.0 * right, rtol=1e-4)
    np.testing.assert_allclose(model.calibration.temperature, found, rtol=1e-6)


@pytest.mark.parametrize("method", ["lac", "aps", "raps"])
def test_sets_cover_on_top_of_the_corrected_prediction(method):
    model = _model(Categorical(), LOGITS)
    _calibrate(model, 4.0 * LOGITS, Y, "temperature")
    corrected = _calibrate(model, 4.0 * LOGITS, Y, method, level=0.8)
    plain = _model(Categorical(), LOGITS)
    assert abs(corrected - _calibrate(
        plain, 4.0 * LOGITS, Y, method, level=0.8)) > 1e-3
    prediction = model.calibration.correct(
        model.likelihood.prediction(4.0 * LOGITS), ONES)
    inside = np.take_along_axis(
        np.asarray(prediction.prediction_set), Y[:, None], axis=1)
    assert 0.79 <= inside.mean() <= (0.82 if method == "lac" else 1.0)
    np.testing.assert_allclose(model.calibration.level, 0.8)


def test_new_correction_drops_the_sets_that_stood_on_the_old_one():
    model = _model(Categorical(), LOGITS)
    _calibrate(model, LOGITS, Y, "lac")
    assert model.calibration.is_conformal()
    _calibrate(model, LOGITS, Y, "vector")
    assert not model.calibration.is_conformal()


def test_interval_covers_numbers():
    draws = np.zeros((1, 2000, 1), "float32")
    model, y = _model(Gaussian(), draws), RNG.standard_t(3, size=(2000, 1))
    threshold = _calibrate(model, draws, y, "interval", level=0.8)
    prediction = model.calibration.correct(model.likelihood.prediction(draws), ONES)
    low, high = (np.asarray(part) for part in prediction.conformal_interval)
    assert 0.79 <= ((low <= y) & (y <= high)).mean() <= 0.82
    assert np.isfinite(threshold).all()


@pytest.mark.parametrize("likelihood, method, options, words", [
    (Categorical(), "interval", {}, "models of classes.*method='interval'"),
    (Gaussian(), "lac", {}, "models of numbers.*method='lac'"),
    (Gaussian(), "vector", {}, "'temperature', 'interval'"),
    (Categorical(), "temprature", {}, "Expected one of.*'temprature'"),
    (Categorical(), "vector", {"penalty": 0.1}, "only for prediction sets.*penalty")])
def test_method_of_another_kind_is_refused(likelihood, method, options, words):
    draws = LOGITS[..., :1] if isinstance(likelihood, Gaussian) else LOGITS
    model = _model(likelihood, draws)
    with pytest.raises(ValueError, match=words):
        _calibrate(model, draws, Y, method, **options)


def test_draws_that_are_no_numbers_are_counted():
    broken = LOGITS.copy()
    broken[0, :2] = np.nan
    with pytest.raises(ValueError, match="lower learning rate. Received: 6 NaN"):
        calibrating.check_method(Categorical(), "temperature", broken, {})
