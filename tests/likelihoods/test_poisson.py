"""Poisson likelihood."""

import numpy as np
import pytest
import scipy.stats
import tensorflow as tf

from bdlzoo.likelihoods import Poisson

OUTPUTS = np.random.default_rng(0).normal(size=(3, 4, 2)).astype("float32")


def test_log_prob_is_the_density_summed_over_outputs():
    targets = np.array([[0, 3], [1, 0], [7, 2], [20, 1]])
    np.testing.assert_allclose(
        Poisson().log_prob(targets, OUTPUTS),
        scipy.stats.poisson(np.exp(OUTPUTS)).logpmf(targets).sum(-1), rtol=1e-4)


def test_prediction_splits_the_variance():
    rates, prediction = np.exp(OUTPUTS), Poisson().prediction(OUTPUTS)
    np.testing.assert_allclose(prediction.mean, rates.mean(0), rtol=1e-5)
    np.testing.assert_allclose(prediction.aleatoric, rates.mean(0), rtol=1e-5)
    np.testing.assert_allclose(prediction.epistemic, rates.var(0), rtol=1e-4)


def test_gradients_are_finite_for_extreme_outputs():
    outputs = tf.constant([[[200.0], [-200.0], [49.0]]])
    with tf.GradientTape() as tape:
        tape.watch(outputs)
        loss = tf.reduce_sum(Poisson().log_prob([0.0, 5.0, 1e6], outputs))
    assert np.isfinite(loss) and np.isfinite(tape.gradient(loss, outputs)).all()


@pytest.mark.parametrize("targets, words", [
    ([[-1.0]], r"\[-1.0\]"), ([[0.5]], r"\[0.5\]"), ([[np.inf]], "not finite"),
    ([[1.0, 2.0]], r"shape \[B, 1\]")])
def test_targets_that_are_no_counts_are_refused(targets, words):
    Poisson().check_targets([[0.0], [3]], (None, 1))
    with pytest.raises(ValueError, match=words):
        Poisson().check_targets(targets, (None, 1))
