"""Poisson deviance."""

import numpy as np
import sklearn.metrics
from tensorflow_probability import distributions as tfd

from bdlzoo.core.count_prediction import CountPrediction
from bdlzoo.metrics import PoissonDeviance

RATES = np.array([[[0.5], [2.0], [7.0]]])


def test_deviance_is_that_of_scikit_learn():
    metric, y = PoissonDeviance(), np.array([0.0, 3.0, 7.0])
    metric.update_state(y, CountPrediction(tfd.Poisson(RATES)))
    expected = sklearn.metrics.mean_poisson_deviance(y, RATES.ravel())
    np.testing.assert_allclose(metric.result(), expected, rtol=1e-6)


def test_right_means_have_no_deviance():
    metric = PoissonDeviance()
    metric.update_state([2.0, 3.0], CountPrediction(tfd.Poisson([[[2.0], [3.0]]])))
    np.testing.assert_allclose(metric.result(), 0.0, atol=1e-6)


def test_negative_targets_have_none():
    metric = PoissonDeviance()
    metric.update_state([2.0, -1.0], CountPrediction(tfd.Poisson([[[2.0], [3.0]]])))
    assert np.isnan(metric.result())
