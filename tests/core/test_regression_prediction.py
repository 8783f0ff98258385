"""Measures of mixtures of Gaussians against fixtures and identities."""

import numpy as np
import pytest
import scipy.stats

from bdlzoo.core.regression_prediction import RegressionPrediction


def _mixture(dtype="float64"):
    return RegressionPrediction(np.array([1, 2, 3], dtype).reshape(3, 1, 1),
                                np.array([0.5, 0.4, 0.6], dtype).reshape(3, 1, 1))


def test_regression_measures_match_the_fixture():
    prediction = _mixture()
    np.testing.assert_allclose(prediction.epistemic, [[2 / 3]])
    np.testing.assert_allclose(prediction.aleatoric, [[0.5]])
    np.testing.assert_allclose(prediction.variance, [[7 / 6]])
    np.testing.assert_allclose(prediction.log_prob([2.0]), [-1.038299], atol=1e-6)


def test_variance_is_that_of_samples_of_the_mixture():
    rng = np.random.default_rng(0)
    pick = rng.integers(0, 3, 200_000)
    sample = rng.normal(np.array([1, 2, 3])[pick],
                        np.sqrt([0.5, 0.4, 0.6])[pick])
    np.testing.assert_allclose(_mixture().variance, sample.var(), rtol=0.02)
    low, high = _mixture().interval(0.9)
    np.testing.assert_allclose(((sample > low) & (sample < high)).mean(), 0.9,
                               atol=0.003)


def test_quantile_inverts_the_cdf():
    prediction = _mixture()
    for level in (0.01, 0.3, 0.5, 0.99):
        np.testing.assert_allclose(
            prediction.cdf(prediction.quantile(level)), [[level]], atol=1e-7)


def test_crps_matches_its_integral():
    prediction, y = _mixture(), 2.4
    grid = np.linspace(-6, 11, 20_001)
    cdf = prediction.components.cdf(grid).numpy().mean(0)[0]
    integral = np.trapezoid((cdf - (grid >= y))**2, grid)
    np.testing.assert_allclose(prediction.crps([y]), [[integral]], atol=1e-4)


def test_one_draw_has_no_model_uncertainty_and_is_a_gaussian():
    prediction = RegressionPrediction(np.full((1, 1, 1), 2.0), np.full((1, 1, 1), 4.0))
    assert prediction.epistemic == 0
    density = -0.5 * np.log(2 * np.pi * 4.0) - 0.5 * (5.0 - 2.0)**2 / 4.0
    np.testing.assert_allclose(prediction.log_prob([5.0]), [density])
    np.testing.assert_allclose(prediction.interval(0.6827), ([[0.0]], [[4.0]]),
                               atol=1e-3)


def test_stretched_mixture_scales_its_std_and_keeps_its_mean():
    plain, wide = _mixture(), _mixture().tempered(3.0)
    np.testing.assert_allclose(wide.std, 3.0 * plain.std)
    np.testing.assert_allclose(wide.mean, plain.mean)


def test_log_prob_stays_finite_far_away():
    assert np.isfinite(_mixture("float32").log_prob([1e3])).all()


def test_several_outputs_share_the_draw():
    """The density of a pair sums over outputs before it averages over draws."""
    means = np.array([[[0.0, 0.0]], [[4.0, 4.0]]])
    prediction = RegressionPrediction(means, np.ones_like(means))
    normal = np.exp(-0.5 * np.array([0.0, 16.0])) / np.sqrt(2 * np.pi)
    both = np.mean([normal[0] * normal[0], normal[1] * normal[1]])
    np.testing.assert_allclose(prediction.log_prob([[0.0, 0.0]]), [np.log(both)])


def test_impossible_interval_is_refused():
    with pytest.raises(ValueError, match="level=1.5"):
        _mixture().interval(1.5)


def test_conformal_interval_is_so_many_deviations_wide():
    with pytest.raises(ValueError, match="model.calibrate"):
        _ = _mixture().conformal_interval
    covered = _mixture().with_interval([1.5])
    low, high = covered.conformal_interval
    np.testing.assert_allclose((low + high) / 2, covered.mean)
    np.testing.assert_allclose(high - low, 3.0 * covered.std)


def test_cross_entropy_of_a_mixture_is_that_of_its_samples():
    mixture = RegressionPrediction([[[0.0, 1.0]], [[2.0, 1.0]]],
                                   [[[1.0, 0.5]], [[0.25, 0.5]]])
    other = RegressionPrediction([[[0.5, 0.0]]], [[[2.0, 1.5]]])
    rng = np.random.default_rng(0)
    which = rng.integers(0, 2, 200_000)
    samples = rng.normal(mixture.means.numpy()[which, 0],
                         np.sqrt(mixture.variances.numpy()[which, 0]))
    densities = scipy.stats.norm.logpdf(samples, [0.5, 0.0], np.sqrt([2.0, 1.5]))
    np.testing.assert_allclose(mixture.cross_entropy(other),
                               -densities.sum(1).mean(), rtol=5e-3)


def test_regression_prediction_is_shown_as_a_table():
    prediction = RegressionPrediction([[[1.0], [20.0]]], [[[4.0], [9.0]]])
    assert repr(prediction).splitlines() == [
        "RegressionPrediction (rows: 2, draws: 1, outputs: 1)",
        "row  mean  std  low_95  high_95",
        "  0     1    2   -2.92     4.92",
        "  1    20    3   14.12    25.88"]


def test_table_of_several_outputs_has_a_line_for_each():
    means = np.arange(8.0).reshape(1, 4, 2)
    lines = repr(RegressionPrediction(means, np.ones_like(means))).splitlines()
    found = [line.split()[:3] for line in lines[1:-1]]
    assert found == [["row", "output", "mean"], ["0", "0", "0"], ["0", "1", "1"],
                     ["1", "0", "2"], ["1", "1", "3"], ["2", "0", "4"]]
    assert lines[-1] == "..."
