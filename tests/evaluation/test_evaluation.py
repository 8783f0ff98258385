"""Tests of all that is measured of one model."""

import keras
import numpy as np
import pytest
from sklearn import metrics as sklearn_metrics

from bdlzoo import data
from bdlzoo.core import noise
from bdlzoo.core.class_prediction import ClassPrediction
from bdlzoo.evaluation.evaluation import class_headline, evaluate
from bdlzoo.evaluation.outside_sets import outside_sets
from bdlzoo.methods import Deterministic, MCDropout
from bdlzoo.metrics import BrierScore, ExpectedCalibrationError


def _model(kind=MCDropout, outputs=3, shape=(6, 6, 1), likelihood="categorical"):
    keras.utils.set_random_seed(0)
    network = keras.Sequential([
        keras.Input(shape), keras.layers.Flatten(),
        keras.layers.Dense(8, activation="relu"), keras.layers.Dropout(0.3),
        keras.layers.Dense(outputs)])
    model = kind(network, likelihood, num_samples=4, seed=0)
    model.compile()
    return model


def _images(rows=60, classes=3):
    x = noise.uniform([rows, 6, 6, 1], noise.key(1)).numpy()
    return data.Split(x, (np.arange(rows) % classes).astype("int32"))


@pytest.fixture(scope="module")
def images():
    return _images()


@pytest.fixture(scope="module")
def whole(images):
    sets = outside_sets(["gaussian", "uniform"], images.x)
    return evaluate(_model(), images, "small", outside=sets, shift=10, train=images,
                    num_resamples=50)


def test_headline_is_what_the_metrics_say(whole, images):
    prediction = whole.prediction
    for metric in (ExpectedCalibrationError(), BrierScore(),
                   keras.metrics.SparseCategoricalAccuracy("accuracy")):
        metric.update_state(images.y, prediction.probabilities)
        assert whole.headline[metric.name].value == pytest.approx(
            float(metric.result()), rel=1e-5), metric.name
    assert whole.headline["nll"].value == pytest.approx(sklearn_metrics.log_loss(
        images.y, prediction.probabilities), rel=1e-5)
    errors = prediction.label != images.y
    assert whole.headline["auroc_failures"].value == pytest.approx(
        sklearn_metrics.roc_auc_score(errors, 1 - prediction.confidence), abs=1e-3)


def test_bins_of_the_calibration_error_are_open_below():
    """Two neighbours, one too sure and one too modest, do not cancel."""
    sure = np.array([0.9] * 10 + [0.99] * 10)
    prediction = ClassPrediction(np.log(np.stack([sure, 1 - sure], axis=-1))[None])
    labels = np.array([1] * 10 + [0] * 10)
    ece = class_headline(prediction, labels, 10, 0)["ece"].value
    np.testing.assert_allclose(ece, (0.9 + 0.01) / 2, atol=1e-6)


def test_every_interval_holds_its_value(whole):
    assert {"accuracy", "nll", "brier", "ece", "auroc_failures"} == set(whole.headline)
    for value, low, high in whole.headline.values():
        assert low <= value <= high and low < high


def test_protocols_are_all_there_and_say_how(whole):
    assert set(whole.outside) == {"gaussian", "uniform"} == set(whole.detection)
    for scores in (*whole.outside.values(), whole.uncertainty):
        assert {"max_probability", "energy", "odin", "mahalanobis"} <= set(scores)
    assert whole.detection["gaussian"]["entropy"]["auroc"] == pytest.approx(
        sklearn_metrics.roc_auc_score(np.repeat([0, 1], 60), np.concatenate([
            whole.uncertainty["entropy"], whole.outside["gaussian"]["entropy"]])))
    assert all(len(t["accuracy"]) == 6 for t in whole.shift.values())
    assert "chosen on gaussian" in whole.settings["ODIN"]
    plain = whole.metrics()
    assert plain["accuracy"] == whole.headline["accuracy"].value
    assert plain["intervals"]["nll"][0] == whole.headline["nll"].low


def test_nothing_is_ranked_where_all_are_right():
    model, split = _model(Deterministic), _images()
    right = data.Split(split.x, model.predict_uncertainty(split.x).label)
    result = evaluate(model, right, num_resamples=20)
    assert result.failures == {} and "auroc_failures" not in result.headline
    assert result.headline["accuracy"].value == 1.0


def test_one_error_has_an_auroc_without_an_interval():
    model, split = _model(Deterministic), _images()
    labels = np.array(model.predict_uncertainty(split.x).label)
    labels[0] = (labels[0] + 1) % 3
    found = evaluate(model, data.Split(split.x, labels), num_resamples=50)
    assert 0 <= found.headline["auroc_failures"].value <= 1
    assert np.isnan(found.headline["auroc_failures"].low)
    assert found.metrics()["intervals"]["auroc_failures"] == [None, None]


def test_one_class_only_is_measured():
    split = _images()
    found = evaluate(_model(), data.Split(split.x, 0 * split.y), num_resamples=20)
    assert 0 < found.headline["accuracy"].value < 1


def test_regression_has_the_scores_of_numbers():
    x = noise.normal([50, 1], noise.key(2)).numpy()
    split = data.Split(x, x[:, 0])
    model = _model(outputs=2, shape=(1,), likelihood="heteroscedastic_gaussian")
    found = evaluate(model, split, train=split, num_resamples=20)
    prediction = found.prediction
    assert found.headline["rmse"].value == pytest.approx(
        np.sqrt(np.mean((prediction.mean - x) ** 2)), rel=1e-5)
    low, high = prediction.interval(0.95)
    assert found.headline["coverage"].value == pytest.approx(
        np.mean((low <= x) & (x <= high)))
    assert found.headline["crps"].value == pytest.approx(
        np.mean(prediction.crps(x)), rel=1e-5)
    assert not found.is_classifier and found.band[0].min() < x.min()
    with pytest.raises(ValueError, match="classifier of images"):
        evaluate(model, split, shift=10)


def test_a_model_that_says_nan_is_refused():
    model, split = _model(Deterministic), _images()
    model.build_once(split.x)
    model.network.layers[-1].bias.assign([np.nan, 0.0, 0.0])
    with pytest.raises(ValueError, match="Received: .* NaN"):
        evaluate(model, split)


def test_labels_beyond_the_classes_are_refused():
    split = _images(classes=5)
    with pytest.raises(ValueError, match="class indices from 0 to 2"):
        evaluate(_model(), split)
