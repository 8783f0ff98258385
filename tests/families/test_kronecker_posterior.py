"""Kronecker factors, where they are exact and as their definition says."""

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.families import output_curvature
from bdlzoo.families.full_posterior import FullPosterior
from bdlzoo.families.kronecker_posterior import KroneckerPosterior
from tests.families import posterior_cases as cases


def test_it_is_the_full_posterior_if_all_rows_bend_alike(monkeypatch):
    probs = np.tile(cases.PROBS[:1], (cases.ROWS, 1))
    pair = [cases.settled(cases.filled(kind, d=probs, s=probs))
            for kind in (KroneckerPosterior, FullPosterior)]
    np.testing.assert_allclose(*(cases.draw_covariance(
        posterior, monkeypatch) for posterior in pair), atol=1e-6)
    for found, wanted in zip(*(posterior.moments(cases.FEATURES)
                               for posterior in pair), strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-5)
    np.testing.assert_allclose(*(np.sort(np.ravel(
        posterior.spectrum())) for posterior in pair), atol=1e-5)


def test_draws_have_the_covariance_of_the_product_of_the_factors(monkeypatch):
    posterior = cases.settled(cases.filled(KroneckerPosterior))
    weights = cases.WEIGHTS.astype("float64")
    inputs = (cases.FEATURES.T * weights) @ cases.FEATURES / cases.ROWS
    bends = np.diag(weights @ cases.PROBS) - (cases.PROBS.T * weights) @ cases.PROBS
    expected = cases.covariance(np.kron(inputs, bends / weights.sum()))
    np.testing.assert_allclose(cases.draw_covariance(posterior, monkeypatch), expected,
                               atol=1e-6)
    for found, wanted in zip(posterior.moments(cases.FEATURES),
                             cases.output_moments(expected), strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-5)
    jacobian = np.einsum("bi,o->bio", cases.FEATURES, [1.0, -2.0, 0.5])
    flat = jacobian.reshape(cases.ROWS, -1)
    spread = posterior.spread(tf.constant(jacobian.astype("float32")))
    np.testing.assert_allclose(tf.reduce_sum(spread**2, axis=[1, 2]),
                               np.einsum("bp,pq,bq->b", flat, expected, flat),
                               rtol=1e-4)


def test_slopes_give_what_rows_give():
    posterior = KroneckerPosterior((cases.INPUTS, cases.OUTPUTS))
    posterior.build()
    rows = [tf.constant(part) for part in (
        cases.FEATURES, cases.PROBS, cases.PROBS, cases.WEIGHTS)]
    roots = output_curvature.roots(*rows[1:3])[:, :, None]
    wanted = posterior.sums_of_rows(*rows)
    found = posterior.sums_of_slopes(rows[0][:, None], roots, rows[3])
    for name in wanted:
        np.testing.assert_allclose(found[name], wanted[name], rtol=1e-4, atol=1e-5)


def test_scaled_curvature_has_scaled_eigenvalues():
    posterior = cases.settled(cases.filled(KroneckerPosterior))
    before = posterior.spectrum()
    posterior.scale(3.0)
    posterior.decompose()
    np.testing.assert_allclose(posterior.spectrum(), 3 * before, rtol=1e-4, atol=1e-6)


def test_too_many_inputs_are_refused():
    with pytest.raises(ValueError, match="\"diagonal\".*25089 inputs"):
        KroneckerPosterior((25089, 10)).build()
