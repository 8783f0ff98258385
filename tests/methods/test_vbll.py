"""VBLL: its bound is the evidence at the exact posterior."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from scipy import special, stats
from tensorflow_probability import distributions as tfd

from bdlzoo.core import noise
from bdlzoo.likelihoods import Gaussian
from bdlzoo.methods import VBLL

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3)).astype("float32")
ROWS = np.c_[X, np.ones(40)].astype("float64")
Y = (X @ [[1.0], [-2.0], [0.5]] + 0.4 * RNG.normal(size=(40, 1))).astype("float32")
LABELS = RNG.integers(0, 3, 40)
NOISE, PRIOR = 0.5, 0.8
KEY = noise.key(0, noise.TRAIN)


def _model(outputs, likelihood="categorical", covariance=None, mean=None, **options):
    network = keras.Sequential([keras.Input((3,)), keras.layers.Dense(outputs)])
    model = VBLL(network, likelihood, prior_scale=PRIOR, num_data=40, **options)
    model.compile()
    model.build((None, 3))
    model.num_data.assign(40)
    if mean is not None:
        network.set_weights([mean[:-1], mean[-1]])
        root = np.linalg.cholesky(covariance)
        model.log_scale.assign(np.log(np.diagonal(root, axis1=-2, axis2=-1)))
        if model.below is not None:
            model.below.assign(root + np.triu(RNG.normal(size=root.shape)))
    return model


def _exact():
    covariance = np.linalg.inv(ROWS.T @ ROWS / NOISE**2 + np.eye(4) / PRIOR**2)
    return covariance @ ROWS.T @ Y / NOISE**2, covariance


def _loss(model, y):
    return float(model.objective(tf.constant(X), y, None, KEY)[0]["loss"])


def test_bound_of_numbers_is_the_evidence_at_the_exact_posterior():
    mean, covariance = _exact()
    model = _model(1, Gaussian(NOISE), covariance[None], mean)
    evidence = stats.multivariate_normal(np.zeros(40), NOISE**2 * np.eye(40) + (
        PRIOR**2 * ROWS @ ROWS.T)).logpdf(Y[:, 0])
    np.testing.assert_allclose(-40 * _loss(model, Y), evidence, rtol=1e-5)
    prediction = model.predict_uncertainty(X)
    np.testing.assert_allclose(prediction.mean, ROWS @ mean, atol=1e-5)
    np.testing.assert_allclose(prediction.epistemic[:, 0], np.einsum(
        "bi,ij,bj->b", ROWS, covariance, ROWS), rtol=1e-4)
    # Any other posterior has a lower bound.
    for factor in (0.9, 1.1):
        other = _model(1, Gaussian(NOISE), factor * covariance[None], mean)
        assert -40 * _loss(other, Y) < evidence - 1e-3


@pytest.mark.slow
def test_training_reaches_the_exact_posterior():
    mean, covariance = _exact()
    model = _model(1, Gaussian(NOISE))
    model.compile(keras.optimizers.Adam(keras.optimizers.schedules.CosineDecay(
        0.02, 3000)))
    model.fit(X, Y, batch_size=40, epochs=3000, verbose=0)
    np.testing.assert_allclose(model._view.matrices()[0], mean, atol=2e-3)
    root = model._root()[0]
    np.testing.assert_allclose(root @ tf.transpose(root), covariance, atol=2e-4)


@pytest.mark.parametrize("structure", ["dense", "diagonal"])
def test_bound_of_classes_is_below_the_expected_likelihood(structure):
    mean = RNG.normal(size=(4, 3))
    factor = RNG.normal(size=(3, 4, 4))
    covariance = 0.05 * factor @ factor.transpose(0, 2, 1)
    if structure == "diagonal":
        covariance = np.stack([np.diag(np.diag(part)) for part in covariance])
    model = _model(3, covariance=covariance, mean=mean, structure=structure)
    logs, _ = model.objective(tf.constant(X), LABELS, None, KEY)
    logits = ROWS @ mean
    variances = np.einsum("bi,oij,bj->bo", ROWS, covariance, ROWS)
    bound = logits[range(40), LABELS] - special.logsumexp(logits + variances / 2, -1)
    np.testing.assert_allclose(logs["nll"], -bound.mean(), rtol=1e-5)
    draws = np.asarray(model.sample_outputs(X, 500, seed=0))
    np.testing.assert_allclose(draws.var(axis=0).mean(), variances.mean(), rtol=0.05)
    expected = special.log_softmax(draws, -1)[:, range(40), LABELS].mean()
    assert bound.mean() < expected < bound.mean() + 0.5
    prior = tfd.MultivariateNormalDiag(np.zeros(4), PRIOR * np.ones(4))
    kl = sum(tfd.kl_divergence(tfd.MultivariateNormalTriL(
        column, np.linalg.cholesky(part)), prior)
        for column, part in zip(mean.T, covariance))
    np.testing.assert_allclose(logs["kl"], kl, rtol=1e-4)


@pytest.mark.parametrize("options, words", [
    ({"structure": "full"}, "structure='full'"), ({"prior_scale": 0.0}, "prior_scale"),
    ({"likelihood": "bernoulli"}, "two outputs")])
def test_wrong_arguments_are_refused(options, words):
    network = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
    with pytest.raises(ValueError, match=words):
        VBLL(network, **options)
    wide = keras.Sequential([keras.Input((2048,)), keras.layers.Dense(1000)])
    with pytest.raises(ValueError, match="\"diagonal\".*2049 inputs"):
        VBLL(wide).build((None, 2048))
