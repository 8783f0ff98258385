"""Chains in the form of ArviZ, and its diagnostics beside ours."""

import importlib.util
import sys

import keras
import numpy as np
import pytest
from scipy import stats

from bdlzoo.evaluation import chain_diagnostics, to_arviz
from bdlzoo.evaluation.arviz_export import groups
from bdlzoo.methods import SGLD

needs_arviz = pytest.mark.skipif(
    importlib.util.find_spec("arviz") is None,
    reason="ArviZ is an extra: pip install bdlzoo[arviz]")
RNG = np.random.default_rng(0)
X = RNG.normal(size=(5, 2)).astype("float32")


def _sampler(outputs, likelihood):
    """Two chains of 40 samples that are an autoregression."""
    network = keras.Sequential([keras.Input((2,)), keras.layers.Dense(outputs)])
    model = SGLD(network, likelihood, num_chains=2, num_kept=40, seed=0)
    model.compile(keras.optimizers.SGD(0.1), metrics=[])
    model.build((None, 2))
    model.set_samples(_autoregression(40, 2, 3 * outputs).astype("float32"))
    return model


def _autoregression(*shape):
    values = RNG.normal(size=shape)
    for i in range(1, len(values)):
        values[i] += 0.7 * values[i - 1]
    return values


def test_numbers_come_with_their_density_and_chains_first():
    model, y = _sampler(3, "gaussian"), RNG.normal(size=(5, 3)).astype("float32")
    found = groups(model, X, y, batch_size=2)
    prediction = found["posterior"]["prediction"]
    assert prediction.shape == (2, 40, 5, 3)
    values = chain_diagnostics.predictions(model, X)
    np.testing.assert_allclose(prediction[1, 7], values[7, 1], rtol=1e-6)
    scale = np.sqrt(model.likelihood.prediction(values[:1, 0]).variances[0])
    expected = stats.norm.logpdf(y, values[7, 1], scale).sum(axis=-1)
    np.testing.assert_allclose(found["log_likelihood"]["y"][1, 7], expected, rtol=1e-5)
    np.testing.assert_array_equal(found["observed_data"]["y"], y)
    assert list(groups(model, X)) == ["posterior"]


def test_classes_have_the_log_probability_of_their_label():
    model, y = _sampler(3, "categorical"), np.array([0, 2, 1, 1, 0])
    found = groups(model, X, y)
    assert found["posterior"]["prediction"].shape == (2, 40, 5)
    weights = model.kept_samples()[7, 1]
    logits = X @ weights[:6].reshape(2, 3) + weights[6:]
    expected = logits[np.arange(5), y] - np.log(np.exp(logits).sum(axis=1))
    np.testing.assert_allclose(found["log_likelihood"]["y"][1, 7], expected, rtol=1e-4)


@needs_arviz
def test_arviz_has_the_dimensions_by_name_and_judges_the_model():
    import arviz

    numbers = to_arviz(_sampler(3, "gaussian"), X, np.zeros((5, 3), "float32"))
    assert numbers.posterior.prediction.dims == ("chain", "draw", "row", "output")
    assert numbers.observed_data.y.dims == ("row", "output")
    classes = to_arviz(_sampler(3, "categorical"), X, np.array([0, 2, 1, 1, 0]))
    assert classes.posterior.prediction.dims == ("chain", "draw", "row")
    assert classes.observed_data.y.dims == ("row",)
    assert np.isfinite(arviz.waic(classes).elpd_waic)


@needs_arviz
def test_r_hat_and_effective_size_agree():
    import arviz

    values = _autoregression(400, 4, 300)
    values[:, 0, 0] += 1.0  # One chain that has not mixed.
    data = arviz.convert_to_dataset({"x": values.swapaxes(0, 1)})
    halves, length = 8, 200
    theirs = arviz.rhat(data, method="split").x.values
    # Brooks and Gelman add the error of the mean of the chains.
    expected = np.sqrt((halves + 1) / halves * theirs**2
                       - (length - 1) / (halves * length))
    np.testing.assert_allclose(chain_diagnostics.r_hat(values), expected, rtol=1e-6)
    # ArviZ also makes the autocorrelation fall, so that single ones differ by chance.
    sizes = chain_diagnostics.effective_size(values[..., 1:])
    theirs = arviz.ess(data, method="mean").x.values[1:]
    np.testing.assert_allclose(sizes.mean(), theirs.mean(), rtol=0.08)
    exact = 1600 * (1 - 0.7) / (1 + 0.7)
    np.testing.assert_allclose([sizes.mean(), theirs.mean()], exact, rtol=0.08)


def test_without_arviz_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "arviz", None)
    with pytest.raises(ImportError, match=r"pip install bdlzoo\[arviz\]"):
        to_arviz(_sampler(1, "gaussian"), X)
