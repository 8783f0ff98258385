"""Student-t likelihood."""

import keras
import numpy as np
import pytest
import scipy.stats
import tensorflow as tf

from bdlzoo.likelihoods import Gaussian, HeteroscedasticGaussian, StudentT
from bdlzoo.methods import Deterministic
from bdlzoo.networks import MLP

RNG = np.random.default_rng(0)
OUTPUTS = RNG.normal(size=(3, 4, 2)).astype("float32")
TARGETS = RNG.normal(size=(4, 2)).astype("float32")


def _built(size=2, **kwargs):
    likelihood = StudentT(**kwargs)
    likelihood.build((None, size))
    return likelihood


def test_log_prob_is_the_density_summed_over_outputs():
    found = _built(df=3.5, noise_scale=0.7).log_prob(TARGETS, OUTPUTS)
    expected = scipy.stats.t(3.5, OUTPUTS, 0.7).logpdf(TARGETS).sum(-1)
    np.testing.assert_allclose(found, expected, rtol=1e-4)


def test_many_degrees_of_freedom_are_a_gaussian():
    gaussian = Gaussian(0.7)
    gaussian.build((None, 2))
    np.testing.assert_allclose(
        _built(df=1e5, noise_scale=0.7).log_prob(TARGETS, OUTPUTS),
        gaussian.log_prob(TARGETS, OUTPUTS), rtol=1e-3)
    np.testing.assert_allclose(
        _built(df=1e5, heteroscedastic=True).log_prob(TARGETS[:, :1], OUTPUTS),
        HeteroscedasticGaussian().log_prob(TARGETS[:, :1], OUTPUTS), rtol=1e-3)


def test_prediction_has_the_variance_of_the_distribution():
    prediction = _built(df=5.0, noise_scale=2.0).prediction(OUTPUTS)
    np.testing.assert_allclose(prediction.aleatoric, 4.0 * 5.0 / 3.0, rtol=1e-5)
    np.testing.assert_allclose(prediction.epistemic, OUTPUTS.var(0), rtol=1e-4)


def test_a_position_is_a_data_point():
    outputs, targets = RNG.normal(size=(3, 4, 5, 2)), RNG.normal(size=(4, 5, 2))
    outputs, targets = outputs.astype("float32"), targets.astype("float32")
    likelihood = _built()
    found = likelihood.log_prob(targets, outputs)
    flat = likelihood.log_prob(targets.reshape(20, 2), outputs.reshape(3, 20, 2))
    np.testing.assert_allclose(found, np.reshape(flat, (3, 4, 5)), rtol=1e-5)
    np.testing.assert_allclose(likelihood.log_prob(targets, outputs[0]), found[0],
                               rtol=1e-5)


def test_gradients_are_finite_far_away():
    likelihood = _built(size=2, heteroscedastic=True, learn_df=True)
    outputs = tf.constant([[[1e8, -90.0]], [[-1e4, 90.0]]])
    with tf.GradientTape() as tape:
        tape.watch(outputs)
        loss = tf.reduce_sum(likelihood.log_prob([0.0], outputs))
    for gradient in tape.gradient(loss, [outputs, likelihood.raw_df]):
        assert np.isfinite(gradient).all()


@pytest.mark.slow
def test_learnt_scale_and_degrees_are_those_of_the_data():
    x = RNG.normal(size=(4000, 1)).astype("float32")
    y = (2.0 * x + scipy.stats.t(3.0, 0, 0.5).rvs((4000, 1), random_state=0))
    likelihood = StudentT(10.0, learn_df=True, learn_noise=True)
    model = Deterministic(MLP((1,), (), 1), likelihood, seed=0)
    model.compile(keras.optimizers.Adam(0.05))
    model.fit(x, y.astype("float32"), batch_size=4000, epochs=400, verbose=0)
    np.testing.assert_allclose(np.exp(likelihood.log_noise), 0.5, rtol=0.06)
    np.testing.assert_allclose(likelihood.prediction(np.zeros((1, 1, 1), "float32"))
                               .components.df, 3.0, rtol=0.15)


def test_no_variance_and_two_sources_of_scale_are_refused():
    with pytest.raises(ValueError, match="df=2"):
        StudentT(2.0)
    with pytest.raises(ValueError, match="heteroscedastic=True"):
        StudentT(learn_noise=True, heteroscedastic=True)
    with pytest.raises(ValueError, match="multiple of 2"):
        _built(size=3, heteroscedastic=True)
    with pytest.raises(ValueError, match="1 that are not finite"):
        _built().check_targets([[1.0, np.nan]], (None, 2))
    with pytest.raises(ValueError, match=r"shape \[B, 7, 2\]"):
        _built().check_targets(np.ones((4, 2)), (None, 7, 2))
