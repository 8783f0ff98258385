"""The diagonal is that of the whole matrix."""

import numpy as np
import tensorflow as tf

from bdlzoo.families import output_curvature
from bdlzoo.families.diagonal_posterior import DiagonalPosterior
from tests.families import posterior_cases as cases


def test_diagonal_is_that_of_the_full_curvature(monkeypatch):
    posterior = cases.settled(cases.filled(DiagonalPosterior))
    diagonal = np.diag(np.diag(cases.matrix()))
    np.testing.assert_allclose(np.ravel(posterior.spectrum()), np.diag(diagonal),
                               rtol=1e-5)
    expected = cases.covariance(diagonal)
    np.testing.assert_allclose(cases.draw_covariance(posterior, monkeypatch), expected,
                               atol=1e-6)
    for found, wanted in zip(posterior.moments(cases.FEATURES),
                             cases.output_moments(expected), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-4)


def test_slopes_give_what_rows_give():
    """A last layer is a layer whose slopes are the roots themselves."""
    posterior = DiagonalPosterior((cases.INPUTS, cases.OUTPUTS))
    posterior.build()
    rows = [tf.constant(part) for part in (
        cases.FEATURES, cases.PROBS, cases.PROBS, cases.WEIGHTS)]
    roots = output_curvature.roots(*rows[1:3])[:, :, None]
    wanted = posterior.sums_of_rows(*rows)["curvature"]
    found = posterior.sums_of_slopes(rows[0][:, None], roots, rows[3])["curvature"]
    np.testing.assert_allclose(found, wanted, rtol=1e-4)
    # The same inputs at two positions, with half of the slope at each.
    twice = posterior.sums_of_slopes(
        tf.tile(rows[0][:, None], [1, 2, 1]), tf.tile(roots, [1, 1, 2, 1]) / 2,
        rows[3])["curvature"]
    np.testing.assert_allclose(twice, wanted, rtol=1e-4)
