"""Predictions by the moments of outputs, wherever a prediction is made."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from scipy import special

from bdlzoo.core import noise
from bdlzoo.families.gaussian_output_model import GaussianOutputModel
from bdlzoo.likelihoods import Categorical, Gaussian
from bdlzoo.model import streaming

X = np.random.default_rng(0).normal(size=(40, 3)).astype("float32")
Y = np.arange(40) % 3


class Toy(GaussianOutputModel):
    """Outputs of a network, with a variance of 4 that all rows share."""

    def output_moments(self, inputs):
        mean = self.network(inputs)
        return mean, 4.0 * tf.ones_like(mean), 4.0 * tf.ones_like(mean)

    def output_draw(self, inputs):
        mean = self.network(inputs)
        return lambda key: mean + 2.0 * noise.normal([mean.shape[-1]], key)


def _toy(likelihood="categorical", outputs=3, **options):
    network = keras.Sequential([keras.Input((3,)), keras.layers.Dense(outputs)])
    model = Toy(network, likelihood, seed=0, num_samples=16, **options)
    model.compile()
    return model


def _probit(model):
    return special.softmax(np.asarray(model.network(X)) / np.sqrt(1 + np.pi / 2), -1)


def test_mean_is_the_closed_form_and_the_rest_comes_from_draws():
    model = _toy()
    expected = _probit(model)
    prediction = model.predict_uncertainty(X)
    np.testing.assert_allclose(prediction.mean, expected, atol=1e-6)
    np.testing.assert_allclose(model.predict(X, verbose=0), expected, atol=1e-6)
    scores = model.evaluate(X, Y, verbose=0, return_dict=True)
    np.testing.assert_allclose(scores["nll"], -np.log(expected[range(40), Y]).mean(),
                               rtol=1e-5)
    assert prediction.mutual_information.min() > 0.05
    np.testing.assert_allclose(
        prediction.predictive_entropy,
        prediction.expected_entropy + prediction.mutual_information, atol=1e-5)


def test_draws_that_are_summed_have_the_same_mean(monkeypatch):
    """In an eager call and in a graph."""
    model = _toy()
    expected, prediction = _probit(model), model.predict_uncertainty(X)
    monkeypatch.setattr(streaming.memory, "can_hold", lambda numbers: False)
    summed = model.predict_uncertainty(X)
    assert hasattr(summed, "summary")
    np.testing.assert_allclose(summed.mean, expected, atol=1e-6)
    np.testing.assert_allclose(summed.mutual_information, prediction.mutual_information,
                               atol=1e-5)
    np.testing.assert_allclose(tf.function(lambda x: model(x))(X), expected, atol=1e-6)


@pytest.mark.parametrize("method", [
    "temperature", *(pytest.param(method, marks=pytest.mark.slow)
                     for method in ("vector", "isotonic"))])
def test_calibration_corrects_the_closed_form(method):
    model = _toy()
    expected = _probit(model)
    # Labels of which the closed form is sure, and the draws are not.
    labels = np.where(np.arange(40) % 4, expected.argmax(-1), Y)
    fitted = model.calibrate(X, labels, method=method)
    found = model.predict_uncertainty(X)
    if method == "temperature":
        np.testing.assert_allclose(found.mean, special.softmax(
            np.log(expected) / fitted, -1), atol=1e-5)
    elif method == "vector":
        np.testing.assert_allclose(found.mean, special.softmax(
            np.log(expected) * fitted[0] + fitted[1], -1), atol=1e-5)
    nll = -found.log_prob(labels).numpy().mean()
    assert nll < -np.log(expected[range(40), labels]).mean()


def test_sets_cover_by_the_closed_form():
    model = _toy()
    threshold = model.calibrate(X, Y, method="lac", level=0.8)
    scores = np.sort(-np.log(_probit(model)[range(40), Y]))
    np.testing.assert_allclose(threshold, scores[32], rtol=1e-5)  # Of 0.8 * 41.
    np.testing.assert_array_equal(
        model.predict_uncertainty(X).prediction_set,
        -np.log(_probit(model)) <= threshold + 1e-6)


def test_numbers_have_the_exact_gaussian():
    model = _toy(Gaussian(0.5))
    prediction = model.predict_uncertainty(X)
    np.testing.assert_allclose(prediction.mean, model.network(X), atol=1e-6)
    np.testing.assert_allclose(prediction.epistemic, 4.0, rtol=1e-6)
    np.testing.assert_allclose(prediction.aleatoric, 0.25, rtol=1e-5)
    model.calibration.temperature.assign(2.0)
    np.testing.assert_allclose(model.predict_uncertainty(X).epistemic, 16.0, rtol=1e-6)


def test_samples_are_the_mean_over_draws():
    model = _toy(predictive="samples")
    draws = model.sample_outputs(X, 16)
    np.testing.assert_allclose(
        model.predict_uncertainty(X).mean,
        tf.reduce_mean(tf.nn.softmax(draws), axis=0), atol=1e-6)


@pytest.mark.parametrize("options, words", [
    ({"predictive": "mean"}, "predictive='mean'"),
    ({"likelihood": "poisson"}, "likelihood=Poisson"),
    ({"likelihood": Categorical(from_logits=False)}, "ends in logits"),
    ({"likelihood": "gaussian", "predictive": "bridge"}, "several classes"),
])
def test_what_has_no_closed_form_is_refused(options, words):
    with pytest.raises(ValueError, match=words):
        _toy(**options)
