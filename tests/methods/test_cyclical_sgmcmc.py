"""Cyclical SG-MCMC."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from tensorflow_probability import distributions as tfd

import bdlzoo
from bdlzoo.core.regression_prediction import RegressionPrediction
from bdlzoo.likelihoods.likelihood import Likelihood
from bdlzoo.methods import SGLD, CyclicalSGMCMC
from tests.families import quadratic

MODES = 2.0 * np.stack(np.meshgrid(*[np.arange(-2, 3)] * 2), -1).reshape(25, 2)


class _Grid(Likelihood):
    """Twenty-five modes; targets are the noise of the gradient."""

    def log_prob(self, targets, outputs):
        modes = tfd.MixtureSameFamily(
            tfd.Categorical(logits=tf.zeros(25)), tfd.MultivariateNormalDiag(
                tf.constant(MODES, tf.float32), tf.fill([2], 0.03**0.5)))
        return modes.log_prob(outputs) + tf.reduce_sum(targets * outputs, axis=-1)

    def prediction(self, draws):
        return RegressionPrediction(draws, tf.ones_like(draws))

    def check_targets(self, targets, output_shape):
        del targets, output_shape


def _visited(kind, rate, steps, **kwargs):
    """Modes to which the samples of one chain come close."""
    network = keras.Sequential([keras.Input((1,)), keras.layers.Dense(
        2, use_bias=False, kernel_initializer="zeros")])
    model = kind(network, _Grid(), prior_scale=None, num_kept=steps // 10,
                 thinning=10, seed=0, **kwargs)
    model.compile(keras.optimizers.SGD(rate), metrics=[], jit_compile=True)
    x = np.ones((1000, 1), "float32")
    noise = np.random.default_rng(0).normal(size=(1000, 2)).astype("float32")
    model.fit(x, noise, batch_size=1, epochs=steps // 1000, num_data=1, verbose=0)
    samples = model.kept_samples().reshape(-1, 2)
    gaps = np.linalg.norm(samples[:, None] - MODES, axis=-1)
    return len(set(gaps.argmin(1)[gaps.min(1) < 0.5]))


@pytest.mark.slow
def test_cycles_visit_the_modes_that_falling_steps_miss():
    """T7.8."""
    cycles = bdlzoo.CosineCycles(0.07, 50_000 // 30)
    assert _visited(CyclicalSGMCMC, cycles, 50_000, exploration=50 * 30 / 50_000) >= 20
    falling = bdlzoo.PolynomialSteps(0.043, 500.0, 0.55)
    assert _visited(SGLD, falling, 50_000) <= 4


def test_noise_and_samples_come_at_the_end_of_a_cycle():
    model = CyclicalSGMCMC(quadratic.network(2), "gaussian", prior_scale=None,
                           num_kept=10, exploration=0.5, seed=0)
    rate = bdlzoo.CosineCycles(0.1, 8)
    model.compile(keras.optimizers.SGD(rate), metrics=[], steps_per_execution=1)
    states, kept = [], []

    class States(keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            states.append(model.network.parts()[0].numpy().ravel())
            kept.append(int(model.num_stored))

    model.fit(quadratic.forever(2), steps_per_epoch=16, num_data=1, verbose=0,
              callbacks=[States()])
    assert kept == [0, 0, 0, 0, 1, 2, 3, 4, 4, 4, 4, 4, 5, 6, 7, 8]
    for step in range(1, 16):
        still = states[step - 1] * (1 - 4 * float(rate(step)))
        assert np.allclose(states[step], still, atol=1e-6) == (step % 8 < 4)


def test_the_learning_rate_has_cycles():
    model = CyclicalSGMCMC(quadratic.network(1), "gaussian")
    with pytest.raises(ValueError, match="CosineCycles.*learning_rate="):
        model.compile(keras.optimizers.SGD(0.1))
    with pytest.raises(ValueError, match="exploration=1.0"):
        CyclicalSGMCMC(quadratic.network(1), "gaussian", exploration=1.0)
