"""The tanh-Gaussian has the entropies of the card and the density of TFP."""

import numpy as np
import pytest
import tensorflow as tf
from tensorflow_probability import bijectors as tfb
from tensorflow_probability import distributions as tfd

from bdlzoo.core import noise
from bdlzoo.core.tanh_normal import TanhNormal

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(60)
WEIGHTS = WEIGHTS / WEIGHTS.sum()


def _entropy(mean, scale):
    """By quadrature over the normal."""
    law = TanhNormal(tf.constant(mean, tf.float64), tf.constant(scale, tf.float64))
    return float(np.sum(WEIGHTS * law.entropy(law.moved(NODES))))


@pytest.mark.parametrize("mean, scale, nats", [
    (0.0, np.log(2.0), 0.6477), (0.0, 0.5, 0.5), (0.0, 1.0, 0.6698),
    (1.0, 0.5, -0.2534), (2.1, 0.7, -1.8242), (0.0, 0.1, -0.8936)])
def test_entropy_is_that_of_the_table(mean, scale, nats):
    assert _entropy(mean, scale) == pytest.approx(nats, abs=6e-5)


def test_entropy_is_largest_at_a_scale_of_0_8745():
    """By a quadrature of our own with 200 nodes; 0.6836 nats there."""
    scales = np.linspace(0.85, 0.9, 51)
    found = [_entropy(0.0, scale) for scale in scales]
    assert scales[np.argmax(found)] == pytest.approx(0.8745, abs=1e-3)
    assert max(found) == pytest.approx(0.6836, abs=6e-5) and max(found) < np.log(2)


def test_density_is_that_of_tfp_and_stays_finite_at_the_edge():
    law = TanhNormal(tf.constant(0.3), tf.constant(0.8))
    twin = tfd.TransformedDistribution(tfd.Normal(0.3, 0.8), tfb.Tanh())
    u = np.linspace(-2, 2, 9).astype("float32")
    np.testing.assert_allclose(law.log_prob(u), twin.log_prob(np.tanh(u)), rtol=2e-5)
    wide = TanhNormal(tf.constant(0.0), tf.constant(10.0))
    for far in (-40.0, 40.0):  # 1 - tanh(u)**2 = 4 exp(-2 |u|) there.
        slope = wide.entropy(tf.constant(far)) - tfd.Normal(0.0, 10.0).entropy()
        np.testing.assert_allclose(slope, np.log(4.0) - 80.0, rtol=1e-6)


def test_draws_have_the_moments_of_the_law():
    law = TanhNormal(tf.constant([0.0, 1.0]), tf.constant([0.7, 0.3]))
    draws = law.draws(20_000, noise.key(0, noise.ATTACK)).numpy()
    exact = np.tanh([[0.0, 1.0]] + NODES[:, None] * [[0.7, 0.3]])
    mean = WEIGHTS @ exact
    assert np.abs(draws).max() < 1
    np.testing.assert_allclose(draws.mean(axis=0), mean, atol=0.02)
    np.testing.assert_allclose(
        draws.std(axis=0), np.sqrt(WEIGHTS @ (exact - mean)**2), rtol=0.03)
