"""Curvature in the outputs, against second derivatives of the likelihood."""

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.families import output_curvature
from bdlzoo.likelihoods import Bernoulli, Categorical, Gaussian

OUTPUTS = np.random.default_rng(0).normal(size=(4, 3)).astype("float32")
CASES = [(Categorical(), OUTPUTS, np.array([0, 2, 1, 1])),
         (Bernoulli(), OUTPUTS[:, :1], np.array([0, 1, 1, 0])),
         (Gaussian(0.5), OUTPUTS, OUTPUTS[::-1])]


@pytest.mark.parametrize("likelihood, outputs, y", CASES)
def test_terms_and_roots_give_the_hessian_of_the_loss(likelihood, outputs, y):
    if not likelihood.built:
        likelihood.build(outputs.shape)
    point = tf.constant(outputs)
    with tf.GradientTape() as outer:
        outer.watch(point)
        with tf.GradientTape() as inner:
            inner.watch(point)
            loss = -tf.reduce_sum(likelihood.log_prob(y, point[None]))
        slope = inner.gradient(loss, point)
    hessian = outer.batch_jacobian(slope, point)
    d, s = output_curvature.terms(likelihood, point)
    np.testing.assert_allclose(
        tf.linalg.diag(d) - s[:, :, None] * s[:, None], hessian, atol=1e-6)
    roots = output_curvature.roots(d, s)
    np.testing.assert_allclose(tf.einsum("kbi,kbj->bij", roots, roots), hessian,
                               atol=1e-6)
    assert output_curvature.is_coupled(likelihood) == bool(np.any(s))
