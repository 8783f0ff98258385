"""A mixture without its draws answers as the mixture does, to a known accuracy."""

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core.regression_prediction import RegressionPrediction

RNG = np.random.default_rng(0)
PLACES = np.array([-9.0, -2.0, -0.3, 0.05, 1.1, 3.0, 12.0])[:, None]
DRAWS = (60, len(PLACES), 1)
CENTRES = {"gaussian": np.zeros(DRAWS), "smooth": RNG.normal(size=DRAWS),
           "two_modes": np.where(RNG.random(DRAWS) < 0.4, -1.0, 1.0)}


def _pair(kind, scale=0.5, temperature=1.0):
    means = tf.constant(3.0 + CENTRES[kind], tf.float32)
    held = RegressionPrediction(means, tf.fill(means.shape, scale**2))
    pilot = RegressionPrediction(held.means[:32], held.variances[:32]).sums(
        tf.ones([32]))
    summed = held.of_sums(held.sums(tf.ones([60]), pilot), 60, pilot)
    return held.tempered(temperature), summed.tempered(temperature)


@pytest.mark.parametrize("kind", [
    "two_modes", *(pytest.param(kind, marks=pytest.mark.slow)
                   for kind in ("gaussian", "smooth"))])
def test_answers_are_those_of_the_mixture(kind):
    held, summed = _pair(kind, temperature=1.7)
    for name in ("mean", "epistemic", "aleatoric", "variance", "std"):
        np.testing.assert_allclose(getattr(summed, name), getattr(held, name),
                                   rtol=2e-6, atol=1e-6)
    levels = [0.001, 0.025, 0.3, 0.5, 0.975, 0.999]
    gap = (summed.quantile(levels) - held.quantile(levels)) / held.std[..., None]
    np.testing.assert_allclose(gap, 0.0, atol=0.02)
    y = held.mean + PLACES * held.std
    np.testing.assert_allclose(summed.cdf(y), held.cdf(y), atol=0.002)
    np.testing.assert_allclose(summed.crps(y) / held.std, held.crps(y) / held.std,
                               atol=0.005)
    np.testing.assert_allclose(summed.log_prob(y)[1:-1], held.log_prob(y)[1:-1],
                               atol=0.05)


def test_staircase_is_known_to_the_distance_of_two_nodes():
    held, summed = _pair("smooth", scale=0.01)
    gap = (summed.quantile(0.9) - held.quantile(0.9)) / held.std
    np.testing.assert_allclose(gap, 0.0, atol=0.4)


@pytest.mark.slow
def test_quantiles_come_several_at_a_time_and_far_out():
    held, summed = _pair("gaussian")
    levels = [1e-12, 0.5, 0.9]
    found = summed.quantile(levels)
    assert found.shape == (7, 1, 3)
    np.testing.assert_allclose(found, held.quantile(levels), atol=0.01)
    low, high = summed.interval(0.9)
    np.testing.assert_allclose(high - low, 2 * 1.645 * 0.5, rtol=1e-3)


def test_conformal_interval_rows_and_joining():
    _, summed = _pair("smooth")
    wide = summed.with_interval(tf.constant([2.0]))
    low, high = wide.conformal_interval
    np.testing.assert_allclose(high - low, 4 * summed.std, rtol=1e-5)
    both = type(wide).joined([wide, wide])
    np.testing.assert_array_equal(both.conformal_interval[0][7:], low)
    assert both.rows().mean.shape == (14, 1)
    assert repr(both) == "SummedRegression(draws: 60, mean of shape (14, 1))"


def test_draws_that_are_not_held_say_what_to_do():
    for name in ("means", "variances", "components"):
        with pytest.raises(ValueError, match="sample_outputs.*60 draws"):
            getattr(_pair("smooth")[1], name)
