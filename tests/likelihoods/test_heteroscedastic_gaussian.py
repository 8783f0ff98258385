"""Gaussian likelihood whose noise is an output of the network."""

import numpy as np
import pytest
import scipy.stats

from bdlzoo.likelihoods import HeteroscedasticGaussian

OUTPUTS = np.random.default_rng(0).normal(size=(3, 4, 2)).astype("float32")
VARIANCE = np.log1p(np.exp(OUTPUTS[..., 1])) + 1e-6


def test_log_prob_reads_mean_and_variance():
    expected = scipy.stats.norm(OUTPUTS[..., 0], np.sqrt(VARIANCE)).logpdf(0.7)
    np.testing.assert_allclose(
        HeteroscedasticGaussian().log_prob(np.full(4, 0.7), OUTPUTS), expected,
        rtol=1e-4)


def test_prediction_splits_the_variance():
    prediction = HeteroscedasticGaussian().prediction(OUTPUTS)
    np.testing.assert_allclose(prediction.aleatoric[:, 0], VARIANCE.mean(0),
                               rtol=1e-5)
    np.testing.assert_allclose(prediction.epistemic[:, 0],
                               OUTPUTS[..., 0].var(0), rtol=1e-5)


def test_odd_number_of_outputs_is_refused():
    with pytest.raises(ValueError, match="two outputs for each target"):
        HeteroscedasticGaussian().build((None, 3))
    with pytest.raises(ValueError, match="1 target"):
        HeteroscedasticGaussian().check_targets(np.ones((4, 2)), (None, 2))


def test_positions_are_rows():
    outputs = np.random.default_rng(0).normal(size=(3, 4, 5, 4)).astype("float32")
    targets = np.ones((4, 5, 2), "float32")
    likelihood = HeteroscedasticGaussian()
    likelihood.check_targets(targets, (None, 5, 4))
    np.testing.assert_allclose(
        np.reshape(likelihood.log_prob(targets, outputs), (3, 20)),
        likelihood.log_prob(targets.reshape(20, 2), outputs.reshape(3, 20, 4)),
        atol=1e-5)
    assert likelihood.prediction(outputs).mean.shape == (4, 5, 2)
