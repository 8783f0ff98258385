"""A Gaussian whose variance has two known parts."""

import numpy as np
import tensorflow as tf
from scipy import stats

from bdlzoo.core.gaussian_prediction import GaussianPrediction
from bdlzoo.core.regression_prediction import RegressionPrediction

RNG = np.random.default_rng(0)
DRAWS = RNG.normal(size=(5, 4, 2))
MEAN, EPISTEMIC = RNG.normal(size=(4, 2)), RNG.uniform(0.1, 1.0, (4, 2))


def _prediction():
    plain = RegressionPrediction(DRAWS, np.full(DRAWS.shape, 0.25))
    return plain.known(tf.constant(MEAN), tf.constant(EPISTEMIC))


def test_moments_are_those_that_are_known():
    found = _prediction()
    np.testing.assert_allclose(found.mean, MEAN)
    np.testing.assert_allclose(found.epistemic, EPISTEMIC)
    np.testing.assert_allclose(found.aleatoric, 0.25)
    np.testing.assert_allclose(found.variance, EPISTEMIC + 0.25)
    normal = stats.norm(MEAN, np.sqrt(EPISTEMIC + 0.25))
    np.testing.assert_allclose(found.log_prob(MEAN + 1.0),
                               normal.logpdf(MEAN + 1.0).sum(axis=-1))
    np.testing.assert_allclose(found.quantile(0.75), normal.ppf(0.75), atol=1e-6)


def test_every_change_keeps_both_parts():
    found = _prediction()
    cooler = found.tempered(0.5).with_interval(np.ones(2))
    np.testing.assert_allclose(cooler.epistemic, EPISTEMIC / 4)
    np.testing.assert_allclose(cooler.aleatoric, 0.25 / 4)
    np.testing.assert_allclose(cooler.conformal_interval[1],
                               MEAN + np.sqrt(EPISTEMIC + 0.25) / 2)
    np.testing.assert_allclose(found.taken([2, 0]).epistemic, EPISTEMIC[[2, 0]])
    both = GaussianPrediction.joined([found, found.taken([1])])
    np.testing.assert_allclose(both.epistemic, [*EPISTEMIC, EPISTEMIC[1]])
    np.testing.assert_allclose(both.mean, [*MEAN, MEAN[1]])


def test_positions_become_rows():
    split = [t.reshape(*t.shape[:-2], 2, 2, 2) for t in (
        np.asarray(MEAN)[None], np.asarray(EPISTEMIC)[None])]
    found = GaussianPrediction(split[0], split[1] + 0.25, epistemic=split[1][0]).rows()
    np.testing.assert_allclose(found.epistemic, EPISTEMIC)
    np.testing.assert_allclose(found.mean, MEAN)
