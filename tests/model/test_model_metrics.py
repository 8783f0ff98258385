"""Metrics of `compile`: by name, spec or object, on means or on all draws."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core.class_prediction import ClassPrediction
from bdlzoo.likelihoods import Bernoulli, Categorical
from bdlzoo.model import model_metrics
from bdlzoo.model.model_metrics import ModelMetrics

PREDICTION = ClassPrediction(tf.math.log([
    [[0.9, 0.1], [0.3, 0.7], [0.6, 0.4]], [[0.5, 0.5], [0.3, 0.7], [0.2, 0.8]]]))
Y = np.array([0, 0, 0])


def _set(specs, likelihood=None):
    metrics = ModelMetrics()
    metrics.set(specs, likelihood or Categorical())
    return metrics


def test_default_is_what_the_likelihood_has_and_its_first_in_training():
    metrics = _set(None)
    assert [m.name for m in metrics.test] == ["accuracy", "ece", "brier"]
    assert metrics.train == metrics.test[:1] and metrics.config() is None


def test_chosen_metrics_are_those_of_training_too_and_are_saved():
    metrics = _set(["accuracy", "mae", {"type": "BrierScore", "name": "b"},
                    keras.metrics.MeanSquaredError(name="own")])
    assert metrics.train is metrics.test
    names = [metric.name for metric in metrics.test]
    assert names == ["accuracy", "mean_absolute_error", "b", "own"]
    again = _set([keras.saving.deserialize_keras_object(spec)
                  for spec in metrics.config()])
    assert [(type(m), m.name) for m in again.test] == [
        (type(m), m.name) for m in metrics.test]
    assert _set([]).config() == []


def test_accuracy_is_that_of_the_targets():
    [of_classes], [of_yes_or_no] = (
        _set(["accuracy"], likelihood).test for likelihood in (
            Categorical(), Bernoulli()))
    assert type(of_classes) is keras.metrics.SparseCategoricalAccuracy
    assert type(of_yes_or_no) is keras.metrics.BinaryAccuracy
    assert type(_set(["acc"]).test[0]) is type(of_classes)


def test_metrics_see_the_mean_or_the_draws_and_the_weights():
    class Draws(keras.metrics.Mean):
        reads_prediction = True

        def update_state(self, y, prediction, sample_weight=None):
            super().update_state(float(prediction.log_probs.shape[0]))

    accuracy = keras.metrics.SparseCategoricalAccuracy(name="accuracy")
    found = model_metrics.update([accuracy, Draws(name="draws")], Y, PREDICTION, None)
    # The means are right in rows 0 (0.7), wrong in 1 (0.3) and 2 (0.4).
    np.testing.assert_allclose(found["accuracy"], 1 / 3)
    assert float(found["draws"]) == 2.0
    accuracy.reset_state()
    found = model_metrics.update([accuracy], Y, PREDICTION, np.array([3.0, 1.0, 0.0]))
    np.testing.assert_allclose(found["accuracy"], 0.75)


@pytest.mark.parametrize("specs, words", [
    ("ece", "Expected a list of metrics. Received: metrics=ece"),
    ({"type": "BrierScore"}, "Expected a list of metrics"),
    (["eec"], "eec")])
def test_metrics_that_are_none_are_refused(specs, words):
    with pytest.raises(ValueError, match=words):
        _set(specs)
