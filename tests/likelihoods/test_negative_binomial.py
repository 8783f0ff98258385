"""Negative binomial likelihood."""

import keras
import numpy as np
import pytest
import scipy.stats

from bdlzoo.likelihoods import NegativeBinomial, Poisson
from bdlzoo.methods import Deterministic
from bdlzoo.networks import MLP

RNG = np.random.default_rng(0)
OUTPUTS = RNG.normal(size=(3, 4, 2)).astype("float32")
TARGETS = np.array([[0, 3], [1, 0], [7, 2], [20, 1]])


def _built(**kwargs):
    likelihood = NegativeBinomial(**kwargs)
    likelihood.build((None, 2))
    return likelihood


def _oracle(log_means, dispersion):
    size = 1.0 / dispersion
    return scipy.stats.nbinom(size, size / (size + np.exp(log_means)))


def test_log_prob_is_the_density_summed_over_outputs():
    np.testing.assert_allclose(
        _built(dispersion=0.4).log_prob(TARGETS, OUTPUTS),
        _oracle(OUTPUTS, 0.4).logpmf(TARGETS).sum(-1), rtol=1e-4)


def test_dispersion_is_an_output_if_asked():
    dispersion = np.log1p(np.exp(OUTPUTS[..., 1])) + 1e-6
    np.testing.assert_allclose(
        _built(heteroscedastic=True).log_prob(TARGETS[:, 0], OUTPUTS),
        _oracle(OUTPUTS[..., 0], dispersion).logpmf(TARGETS[:, 0]), rtol=1e-4)


def test_variance_exceeds_the_mean_by_the_dispersion():
    means, prediction = np.exp(OUTPUTS), _built(dispersion=0.4).prediction(OUTPUTS)
    np.testing.assert_allclose(prediction.mean, means.mean(0), rtol=1e-5)
    np.testing.assert_allclose(prediction.aleatoric,
                               (means + 0.4 * means**2).mean(0), rtol=1e-4)


def test_without_dispersion_it_is_poisson():
    np.testing.assert_allclose(
        _built(dispersion=1e-5).log_prob(TARGETS, OUTPUTS),
        Poisson().log_prob(TARGETS, OUTPUTS), rtol=2e-3)


@pytest.mark.slow
def test_learnt_dispersion_is_that_of_the_data():
    x = RNG.normal(size=(4000, 1)).astype("float32")
    y = _oracle(1.0 + 0.5 * x, 0.7).rvs(random_state=0).astype("float32")
    likelihood = NegativeBinomial()
    model = Deterministic(MLP((1,), (), 1), likelihood, seed=0)
    model.compile(keras.optimizers.Adam(0.05))
    model.fit(x, y, batch_size=4000, epochs=300, verbose=0)
    np.testing.assert_allclose(np.exp(likelihood.log_dispersion), 0.7, rtol=0.1)
    with pytest.raises(ValueError, match="counts"):
        model.fit(x, y - 1.0, verbose=0)
