"""Gaussian likelihood with given and with learnt noise."""

import keras
import numpy as np
import pytest
import scipy.stats

from bdlzoo.likelihoods import Gaussian
from bdlzoo.methods import Deterministic
from bdlzoo.networks import MLP


def _built(**kwargs):
    likelihood = Gaussian(**kwargs)
    likelihood.build((None, 2))
    return likelihood


def test_log_prob_is_the_density_summed_over_outputs():
    outputs = np.random.default_rng(0).normal(size=(3, 4, 2)).astype("float32")
    targets = np.ones((4, 2), "float32")
    expected = scipy.stats.norm(outputs, 0.5).logpdf(1.0).sum(-1)
    np.testing.assert_allclose(_built(noise_scale=0.5).log_prob(targets, outputs),
                               expected, rtol=1e-5)


def test_prediction_adds_noise_to_the_spread_of_draws():
    draws = np.array([[[0.0, 0.0]], [[2.0, 0.0]]], "float32")
    prediction = _built(noise_scale=0.5).prediction(draws)
    np.testing.assert_allclose(prediction.aleatoric, [[0.25, 0.25]])
    np.testing.assert_allclose(prediction.epistemic, [[1.0, 0.0]])


def test_learnt_noise_is_the_scale_of_the_residuals():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(512, 1)).astype("float32")
    y = 2.0 * x + 0.3 * rng.normal(size=x.shape).astype("float32")
    model = Deterministic(MLP((1,), (), 1), Gaussian(learn_noise=True), seed=0)
    model.compile(keras.optimizers.Adam(0.05))
    model.fit(x, y, batch_size=512, epochs=300, verbose=0)
    residuals = y - model.predict(x, verbose=0)
    np.testing.assert_allclose(np.exp(model.likelihood.log_noise.numpy()),
                               residuals.std(), rtol=0.02)


def test_given_noise_is_not_trained():
    assert not _built().trainable_variables
    assert len(_built(learn_noise=True).trainable_variables) == 1


def test_config_round_trip():
    copy = Gaussian.from_config(Gaussian(0.3, learn_noise=True).get_config())
    assert (copy.noise_scale, copy.learn_noise) == (0.3, True)


def test_wrong_arguments_and_targets_are_refused():
    with pytest.raises(ValueError, match="noise_scale=0"):
        Gaussian(noise_scale=0)
    with pytest.raises(ValueError, match="2 target"):
        _built().check_targets(np.ones((4, 3)), (None, 2))
    with pytest.raises(ValueError, match="1 that are not finite"):
        _built().check_targets(np.array([[1.0, np.nan]]), (None, 2))


def test_models_side_by_side_have_noises_of_their_own():
    likelihood = _built(noise_scale=(0.5, 2.0), copies=2)
    outputs = np.random.default_rng(0).normal(size=(3, 4, 2)).astype("float32")
    targets = np.ones((4, 2), "float32")
    scale = np.array([0.5, 2.0, 0.5, 2.0])[:, None]
    np.testing.assert_allclose(likelihood.log_prob(targets, outputs),
                               scipy.stats.norm(outputs, scale).logpdf(1.0).sum(-1),
                               rtol=1e-5)
    np.testing.assert_allclose(
        likelihood.prediction(outputs).variances[1],
        np.broadcast_to(scale**2, (4, 2)), rtol=1e-5)
    with pytest.raises(ValueError, match="one standard deviation, or 3"):
        Gaussian(noise_scale=(0.5, 2.0), copies=3)


def test_positions_are_rows_also_of_models_side_by_side():
    outputs = np.random.default_rng(0).normal(size=(3, 4, 5, 2)).astype("float32")
    targets = np.ones((4, 5, 2), "float32")
    for options in (dict(noise_scale=0.5), dict(noise_scale=(0.5, 2.0), copies=2)):
        likelihood = _built(**options)
        likelihood.check_targets(targets, (None, None, 2))
        scale = np.resize(np.float32(options["noise_scale"]), 4)[:, None, None]
        np.testing.assert_allclose(
            likelihood.log_prob(targets, outputs),
            scipy.stats.norm(outputs, scale).logpdf(1.0).sum(-1), rtol=1e-5)
        np.testing.assert_allclose(
            likelihood.prediction(outputs).variances[1],
            np.broadcast_to(scale**2, (4, 5, 2)), rtol=1e-5)
    with pytest.raises(ValueError, match="1 axes of positions"):
        likelihood.check_targets(targets[0], (None, 5, 2))
    with pytest.raises(ValueError, match="axis 1 of the outputs has 6 positions"):
        likelihood.check_targets(targets, (None, 6, 2))
