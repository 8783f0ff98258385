"""Mixture density head."""

import numpy as np
import pytest
import scipy.special
import scipy.stats

from bdlzoo.likelihoods import HeteroscedasticGaussian, MixtureDensity

RNG = np.random.default_rng(0)
OUTPUTS = RNG.normal(size=(3, 4, 18)).astype("float32")  # Two targets, K = 3.
TARGETS = RNG.normal(size=(4, 2)).astype("float32")


def _parts():
    logits, means, raw = np.split(OUTPUTS.astype("float64"), 3, axis=-1)
    shape = (3, 4, 2, 3)
    return (scipy.special.softmax(logits.reshape(shape), axis=-1), means.reshape(shape),
            np.log1p(np.exp(raw)).reshape(shape) + 1e-6)


def test_log_prob_is_that_of_the_weighed_gaussians():
    weights, means, variances = _parts()
    density = scipy.stats.norm(means, np.sqrt(variances)).pdf(TARGETS[..., None])
    expected = np.log((weights * density).sum(-1)).sum(-1)
    np.testing.assert_allclose(MixtureDensity(3).log_prob(TARGETS, OUTPUTS), expected,
                               rtol=1e-4)


def test_variance_of_components_is_noise_of_the_data():
    weights, means, variances = _parts()
    mean = (weights * means).sum(-1)
    noise = (weights * (variances + means**2)).sum(-1) - mean**2
    prediction = MixtureDensity(3).prediction(OUTPUTS)
    np.testing.assert_allclose(prediction.mean, mean.mean(0), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(prediction.aleatoric, noise.mean(0), rtol=1e-4)
    np.testing.assert_allclose(prediction.epistemic, mean.var(0), rtol=1e-3)


def test_one_component_is_the_heteroscedastic_gaussian():
    outputs = OUTPUTS[..., :3]
    one, other = MixtureDensity(1), HeteroscedasticGaussian()
    np.testing.assert_allclose(one.log_prob(TARGETS[:, 0], outputs),
                               other.log_prob(TARGETS[:, 0], outputs[..., 1:]),
                               rtol=1e-4)
    mine, its = one.prediction(outputs), other.prediction(outputs[..., 1:])
    np.testing.assert_allclose(mine.crps(TARGETS[:, :1]), its.crps(TARGETS[:, :1]),
                               rtol=1e-3)
    np.testing.assert_allclose(mine.tempered(1.5).std, its.tempered(1.5).std,
                               rtol=1e-4)


def test_wrong_number_of_outputs_is_refused():
    with pytest.raises(ValueError, match="multiple of 6"):
        MixtureDensity(2).build((None, 8))
    with pytest.raises(ValueError, match="num_components=0"):
        MixtureDensity(0)
