"""Laplace likelihood."""

import numpy as np
import scipy.stats

from bdlzoo.likelihoods import Laplace

RNG = np.random.default_rng(0)
OUTPUTS = RNG.normal(size=(3, 4, 2)).astype("float32")


def _built(**kwargs):
    likelihood = Laplace(**kwargs)
    likelihood.build((None, 2))
    return likelihood


def test_log_prob_is_the_density_summed_over_outputs():
    targets = RNG.normal(size=(4, 2)).astype("float32")
    np.testing.assert_allclose(
        _built(noise_scale=0.7).log_prob(targets, OUTPUTS),
        scipy.stats.laplace(OUTPUTS, 0.7).logpdf(targets).sum(-1), rtol=1e-5)


def test_scale_is_an_output_if_asked():
    scale = np.sqrt(np.log1p(np.exp(OUTPUTS[..., 1])) + 1e-6)
    found = _built(heteroscedastic=True).log_prob(np.full(4, 0.3), OUTPUTS)
    expected = scipy.stats.laplace(OUTPUTS[..., 0], scale).logpdf(0.3)
    np.testing.assert_allclose(found, expected, rtol=1e-4)


def test_prediction_splits_the_variance():
    prediction = _built(noise_scale=0.5).prediction(OUTPUTS)
    np.testing.assert_allclose(prediction.aleatoric, 2 * 0.25, rtol=1e-5)
    np.testing.assert_allclose(prediction.epistemic, OUTPUTS.var(0), rtol=1e-4)


def test_only_learnt_noise_is_trained():
    assert not _built().trainable_variables
    assert len(_built(learn_noise=True).trainable_variables) == 1
