"""Likelihood of any distribution."""

import keras
import numpy as np
import pytest
import scipy.stats
from tensorflow_probability import distributions as tfd

from bdlzoo.likelihoods import Distribution, Gaussian, Poisson

RNG = np.random.default_rng(0)
OUTPUTS = RNG.normal(size=(3, 4, 4)).astype("float32")  # Two targets.
GAMMA = {"concentration": "softplus", "rate": "softplus"}


def _softplus(x):
    return np.log1p(np.exp(x)) + 1e-6


def test_density_reads_parameters_in_their_order():
    y = np.abs(RNG.normal(size=(4, 2))).astype("float32")
    shape, rate = (_softplus(part) for part in np.split(OUTPUTS, 2, axis=-1))
    expected = scipy.stats.gamma(shape, scale=1 / rate).logpdf(y).sum(-1)
    likelihood = Distribution("Gamma", GAMMA)
    np.testing.assert_allclose(likelihood.log_prob(y, OUTPUTS), expected, rtol=1e-4)
    np.testing.assert_allclose(likelihood.prediction(OUTPUTS).mean,
                               (shape / rate).mean(0), rtol=1e-4)


def test_normal_with_a_given_scale_is_gaussian():
    gaussian, y = Gaussian(0.3), RNG.normal(size=(4, 4)).astype("float32")
    gaussian.build((None, 4))
    ours = Distribution("Normal", {"loc": "identity", "scale": 0.3})
    np.testing.assert_allclose(ours.log_prob(y, OUTPUTS),
                               gaussian.log_prob(y, OUTPUTS), rtol=1e-5)


def test_counts_are_told_by_the_distribution():
    ours = Distribution("Poisson", {"log_rate": "identity"})
    one, other = ours.prediction(OUTPUTS), Poisson().prediction(OUTPUTS)
    np.testing.assert_array_equal(one.quantile(0.8), other.quantile(0.8))
    with pytest.raises(ValueError, match="counts"):
        ours.check_targets([[0.5]], (None, 1))


@keras.saving.register_keras_serializable(package="tests")
def two_sided(low, high):
    """Mixture of two normals, one on each side."""
    return tfd.Mixture(tfd.Categorical(probs=keras.ops.stack(
        [0.5 + 0.0 * low, 0.5 + 0.0 * low], axis=-1)),
        [tfd.Normal(low, 1.0), tfd.Normal(high, 1.0)])


def test_a_function_is_a_distribution_too_and_is_saved_by_its_name():
    likelihood = Distribution(two_sided, 2)
    again = keras.saving.deserialize_keras_object(
        keras.saving.serialize_keras_object(likelihood))
    y = RNG.normal(size=(4, 2)).astype("float32")
    low, high = np.split(OUTPUTS, 2, axis=-1)
    expected = np.log(0.5 * scipy.stats.norm(low).pdf(y)
                      + 0.5 * scipy.stats.norm(high).pdf(y)).sum(-1)
    np.testing.assert_allclose(again.log_prob(y, OUTPUTS), expected, rtol=1e-4)
    assert not again.prediction(OUTPUTS).rigid


def test_a_name_is_saved_without_code():
    config = Distribution("Gamma", GAMMA).get_config()
    again = Distribution.from_config(config)
    assert list(again.parameters.items()) == list(GAMMA.items())


@pytest.mark.parametrize("factory, parameters, words", [
    ("Gama", GAMMA, "'Gama'"), ("Gamma", {"rate": 1.0}, "functions of outputs"),
    ("Gamma", {"rate": "relu"}, "rate='relu'"), ("Gamma", {"b": "exp"}, "b"),
    ("LogitNormal", {"loc": "identity", "scale": "exp"}, "a mean and a variance"),
    ("MultivariateNormalDiag", {"loc": "identity"}, "single floats"),
    (3, 2, "factory=3"), (two_sided, "loc", "number of arguments")])
def test_what_is_no_distribution_of_numbers_is_refused(factory, parameters, words):
    with pytest.raises(ValueError, match=words):
        Distribution(factory, parameters)


@pytest.mark.parametrize("y, words", [(-0.5, "-0.5"), (0.0, "between 0 and inf")])
def test_targets_without_a_density_are_refused(y, words):
    with pytest.raises(ValueError, match=words):
        Distribution("Gamma", GAMMA).check_targets([[1.0], [y]], (None, 2))
    # An exponential distribution has a density at 0, and a uniform one can move.
    Distribution("Exponential", {"rate": "exp"}).check_targets([[0.0]], (None, 1))
    Distribution("Uniform", {"low": "identity", "high": 9.0}).check_targets(
        [[-3.0]], (None, 1))


def test_without_a_distribution_function_evaluation_has_fewer_metrics():
    skellam = Distribution("Skellam", {"rate1": "exp", "rate2": "exp"})
    assert [spec["name"] for spec in skellam.default_metrics] == ["rmse"]
    skellam.check_targets([[-3.0]], (None, 2))
