"""Mixtures of any distribution against scipy, integrals and identities."""

import numpy as np
import pytest
import scipy.stats
import tensorflow as tf
from tensorflow_probability import distributions as tfd

from bdlzoo.core import quick_cdf
from bdlzoo.core.distribution_prediction import DistributionPrediction
from bdlzoo.core.regression_prediction import RegressionPrediction

LOC = np.array([-1.0, 0.5, 3.0]).reshape(3, 1, 1)
SCALE = np.array([0.5, 1.5, 0.8]).reshape(3, 1, 1)
FAMILIES = {
    "student_t": (quick_cdf.StudentT(3.5, LOC, SCALE), scipy.stats.t(3.5, LOC, SCALE)),
    "laplace": (tfd.Laplace(LOC, SCALE), scipy.stats.laplace(LOC, SCALE)),
    "gamma": (tfd.Gamma(2.0 + SCALE, SCALE),
              scipy.stats.gamma(2.0 + SCALE, scale=1.0 / SCALE)),
    "log_normal": (tfd.LogNormal(0.2 * LOC, 0.5 * SCALE),
                   scipy.stats.lognorm(0.5 * SCALE, scale=np.exp(0.2 * LOC))),
}


@pytest.fixture(params=FAMILIES)
def pair(request):
    components, oracle = FAMILIES[request.param]
    return DistributionPrediction(components), oracle


def _integral(cdf, y, low, high):
    below, above = np.linspace(low, y, 200_001), np.linspace(y, high, 200_001)
    return (np.trapezoid(cdf(below)**2, below)
            + np.trapezoid((1.0 - cdf(above))**2, above))


def test_variance_follows_the_law_of_total_variance(pair):
    prediction, oracle = pair
    np.testing.assert_allclose(prediction.mean, oracle.mean().mean(0), rtol=1e-6)
    np.testing.assert_allclose(prediction.aleatoric, oracle.var().mean(0), rtol=1e-6)
    np.testing.assert_allclose(prediction.epistemic, oracle.mean().var(0), rtol=1e-6)
    np.testing.assert_allclose(prediction.variance, oracle.var().mean(0)
                               + oracle.mean().var(0), rtol=1e-6)


def test_density_and_distribution_function_are_means_over_draws(pair):
    prediction, oracle = pair
    np.testing.assert_allclose(prediction.log_prob([[1.7]]),
                               np.log(oracle.pdf(1.7).mean(0))[:, 0], rtol=1e-6)
    np.testing.assert_allclose(prediction.cdf([[1.7]]), oracle.cdf(1.7).mean(0),
                               rtol=1e-5)


def test_quantile_inverts_the_distribution_function(pair):
    prediction, oracle = pair
    levels = (1e-4, 0.025, 0.5, 0.9, 0.9999)
    values = prediction.quantile(levels)
    assert values.shape == (1, 1, 5)
    np.testing.assert_allclose(oracle.cdf(values).mean(0)[0], levels, rtol=1e-4)


def test_crps_matches_its_integral(pair):
    prediction, oracle = pair
    low = -60.0 if oracle.support()[0].min() < 0 else 0.0
    expected = [_integral(lambda grid: oracle.cdf(grid).mean(0)[0], y, low, 80.0)
                for y in (0.3, 9.0)]
    both = DistributionPrediction(tfd.BatchBroadcast(prediction.components, [3, 2, 1]))
    np.testing.assert_allclose(both.crps([0.3, 9.0])[:, 0], expected, rtol=1e-4)


def test_crps_of_a_laplace_distribution_has_its_closed_form():
    prediction = DistributionPrediction(tfd.Laplace(np.zeros((1, 1, 1)), 2.0))
    z = 1.3 / 2.0
    np.testing.assert_allclose(
        prediction.crps([[1.3]]), [[2.0 * (z + np.exp(-z) - 0.75)]], rtol=1e-5)


def test_normal_components_equal_the_mixture_of_gaussians():
    rng = np.random.default_rng(0)
    means, scales = rng.normal(size=(4, 3, 2)), np.exp(rng.normal(size=(4, 3, 2)))
    y = rng.normal(size=(3, 2))
    plain = RegressionPrediction(means, scales**2)
    ours = DistributionPrediction(tfd.Normal(means, scales))
    np.testing.assert_allclose(plain.log_prob(y), ours.log_prob(y), rtol=1e-6)
    plain, ours = plain.tempered(1.7), ours.tempered(1.7)
    for name in ("mean", "variance", "aleatoric", "epistemic"):
        np.testing.assert_allclose(getattr(plain, name), getattr(ours, name))
    for name in ("log_prob", "cdf"):
        np.testing.assert_allclose(getattr(plain, name)(y), getattr(ours, name)(y),
                                   rtol=1e-6)
    np.testing.assert_allclose(plain.crps(y), ours.crps(y), rtol=1e-4)
    np.testing.assert_allclose(plain.quantile([0.1, 0.7]), ours.quantile([0.1, 0.7]),
                               rtol=1e-5)


def test_a_distribution_without_moments_still_has_quantiles():
    prediction = DistributionPrediction(tfd.Cauchy(np.full((1, 1, 1), 50.0), 2.0))
    np.testing.assert_allclose(
        prediction.quantile((0.001, 0.5, 0.9))[0, 0],
        scipy.stats.cauchy(50.0, 2.0).ppf([0.001, 0.5, 0.9]), rtol=1e-5)


def test_conformal_interval_widens_the_central_one_and_stays_possible():
    components, oracle = FAMILIES["gamma"]
    prediction = DistributionPrediction(components)
    with pytest.raises(ValueError, match="model.calibrate"):
        _ = prediction.conformal_interval
    low, middle, high = np.moveaxis(prediction.quantile((0.05, 0.5, 0.95)), -1, 0)
    ends = prediction.with_interval([1.0]).conformal_interval
    np.testing.assert_allclose(ends, (low, high), rtol=1e-5)
    low, above = prediction.with_interval([3.0]).conformal_interval
    np.testing.assert_allclose(above, middle + 3.0 * (high - middle), rtol=1e-5)
    assert low == 0  # Which is the smallest value of a gamma distribution.
    np.testing.assert_allclose(prediction.conformal_scores(above), [[3.0]], rtol=1e-4)


def test_only_densities_over_all_numbers_are_stretched():
    gamma = DistributionPrediction(FAMILIES["gamma"][0])
    with pytest.raises(ValueError, match="Gamma has no density for some numbers"):
        gamma.tempered(2.0)
    grid = np.linspace(-60, 60, 20_001)
    laplace = tfd.Laplace(np.tile(LOC, [1, grid.size, 1]), SCALE)
    wide = DistributionPrediction(laplace).tempered(2.0)
    np.testing.assert_allclose(np.trapezoid(np.exp(wide.log_prob(grid)), grid), 1.0,
                               atol=1e-4)
    np.testing.assert_allclose(wide.std, 2.0 * DistributionPrediction(laplace).std)


def test_without_a_distribution_function_the_moments_remain():
    prediction = DistributionPrediction(tfd.Skellam(LOC + 2.0, SCALE))
    np.testing.assert_allclose(prediction.aleatoric, (LOC + 2.0 + SCALE).mean(0))
    assert set(prediction.measures()) == set(prediction.served)
    with pytest.raises(ValueError, match="`cdf`.*Skellam"):
        prediction.quantile(0.5)


def _laplace(loc):
    return DistributionPrediction.made(lambda loc: tfd.Laplace(loc, 1.0), loc)


def test_measures_are_the_same_in_a_graph_and_for_positions():
    rng = np.random.default_rng(0)
    loc = rng.normal(size=(3, 2, 4, 1)).astype("float32")

    @tf.function(input_signature=[tf.TensorSpec([None, None, 4, 1])])
    def measures(loc):
        return _laplace(loc).measures()

    found, rows = measures(loc), _laplace(loc).rows()
    for name, value in rows.measures().items():
        np.testing.assert_allclose(np.reshape(found[name], value.shape), value,
                                   rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(rows.tempered(2.0).taken([6, 1]).std,
                               rows.tempered(2.0).std[[6, 1]])


def test_draws_are_held_since_sums_are_those_of_gaussians():
    prediction = _laplace(np.zeros((3, 2, 1)))
    assert prediction.joined is None and prediction.held_draws == np.inf
    with pytest.raises(ValueError, match="a likelihood made"):
        DistributionPrediction(prediction.components).taken([0])


def test_prediction_is_shown_as_a_table():
    prediction = DistributionPrediction(tfd.Normal([[[1.0], [20.0]]], [[[2.0], [3.0]]]))
    assert repr(prediction).splitlines() == [
        "DistributionPrediction of Normal (rows: 2, draws: 1, outputs: 1)",
        "row  mean  std  low_95  high_95",
        "  0     1    2   -2.92     4.92",
        "  1    20    3   14.12    25.88"]
