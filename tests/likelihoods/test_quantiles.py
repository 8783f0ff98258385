"""Quantile regression."""

import keras
import numpy as np
import pytest
import scipy.stats

from bdlzoo.likelihoods import Quantiles
from bdlzoo.methods import Deterministic

LEVELS = (0.1, 0.5, 0.9)
RNG = np.random.default_rng(0)
OUTPUTS = RNG.normal(size=(3, 4, 6)).astype("float32")  # Two targets.
TARGETS = RNG.normal(size=(4, 2)).astype("float32")


def _built(**kwargs):
    likelihood = Quantiles(LEVELS, **kwargs)
    likelihood.build((None, 6))
    return likelihood


def test_log_prob_is_the_mean_of_asymmetric_laplace_densities():
    expected = 0.0
    for place, level in enumerate(LEVELS):
        values = OUTPUTS[..., 2 * place:2 * place + 2]
        kappa = np.sqrt(level / (1 - level))
        scale = 0.7 / np.sqrt(level * (1 - level))
        expected += scipy.stats.laplace_asymmetric(kappa, values, scale).logpdf(
            TARGETS).sum(-1) / 3
    np.testing.assert_allclose(
        _built(noise_scale=0.7).log_prob(TARGETS, OUTPUTS), expected, rtol=1e-4)


def test_quantiles_that_cross_are_put_in_order():
    prediction = _built().prediction(OUTPUTS[:1])
    expected = np.sort(OUTPUTS[0].reshape(4, 3, 2).transpose(0, 2, 1), axis=-1)
    np.testing.assert_allclose(prediction.quantile(LEVELS), expected, atol=1e-5)


def test_positions_are_rows():
    outputs = RNG.normal(size=(2, 3, 4, 6)).astype("float32")
    whole = _built().prediction(outputs)
    assert whole.mean.shape == (3, 4, 2)
    np.testing.assert_allclose(whole.rows().mean, whole.mean.reshape(12, 2), rtol=1e-5)


@pytest.mark.parametrize("levels", [(0.5,), (0.9, 0.1), (0.6, 0.9), (0.0, 0.9)])
def test_levels_that_make_no_distribution_are_refused(levels):
    with pytest.raises(ValueError, match="rising order"):
        Quantiles(levels)


@pytest.mark.slow
def test_trained_quantiles_and_conformal_intervals_cover():
    def data(rows):
        x = RNG.uniform(-1, 1, size=(rows, 1)).astype("float32")
        noise = RNG.exponential(size=(rows, 1)) * (0.5 + (x > 0))
        return x, (x + noise).astype("float32")

    network = keras.Sequential([keras.Input((1,)), keras.layers.Dense(32, "relu"),
                                keras.layers.Dense(3)])
    model = Deterministic(network, Quantiles((0.05, 0.5, 0.95)), seed=0)
    model.compile(keras.optimizers.Adam(0.01))
    model.fit(*data(2000), batch_size=200, epochs=60, verbose=0)
    x, y = data(2000)
    low, middle, high = np.moveaxis(
        model.predict_uncertainty(x).quantile((0.05, 0.5, 0.95)), -1, 0)
    for values, level in ((low, 0.05), (middle, 0.5), (high, 0.95)):
        np.testing.assert_allclose((y <= values).mean(), level, atol=0.04)
    model.calibrate(*data(2000), method="interval", level=0.8)
    low, high = model.predict_uncertainty(x).conformal_interval
    np.testing.assert_allclose(((low <= y) & (y <= high)).mean(), 0.8, atol=0.03)
    wide = (high - low)[x[:, 0] > 0.2].mean()
    assert wide > 1.5 * (high - low)[x[:, 0] < -0.2].mean()
