"""The closed form of the Laplace divergence against quadrature."""

import numpy as np
import pytest
import tensorflow as tf
from scipy import integrate, stats

from bdlzoo.layers import LaplacePrior


@pytest.mark.parametrize("mean, scale", [(0.0, 0.3), (0.8, 0.1), (-1.5, 2.0)])
def test_divergence_is_its_integral(mean, scale):
    posterior = stats.norm(mean, scale)
    prior = stats.laplace(0.0, 0.5 / np.sqrt(2.0))  # Standard deviation 0.5.
    expected, _ = integrate.quad(
        lambda w: posterior.pdf(w) * (posterior.logpdf(w) - prior.logpdf(w)),
        mean - 10 * scale, mean + 10 * scale, points=[0.0], limit=200)
    ours = LaplacePrior(0.5).divergence(
        tf.constant([mean]), tf.constant([scale]), tf.math.log([scale]), None)
    np.testing.assert_allclose(ours, expected, rtol=1e-4)
