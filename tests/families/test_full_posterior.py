"""The whole curvature of a last layer, against matrices written out."""

import numpy as np
import pytest

from bdlzoo.families.full_posterior import FullPosterior
from tests.families import posterior_cases as cases

APART = np.zeros_like(cases.PROBS)


@pytest.mark.parametrize("coupled, s", [(True, cases.PROBS), (False, APART)])
def test_draws_and_moments_have_the_inverse_of_the_curvature(coupled, s, monkeypatch):
    posterior = cases.settled(cases.filled(FullPosterior, s=s, coupled=coupled))
    curvature = cases.matrix(s=s)
    expected = cases.covariance(curvature)
    np.testing.assert_allclose(cases.draw_covariance(posterior, monkeypatch), expected,
                               atol=1e-6)
    for found, wanted in zip(posterior.moments(cases.FEATURES),
                             cases.output_moments(expected), strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-5)
    np.testing.assert_allclose(np.sort(np.ravel(posterior.spectrum())),
                               np.linalg.eigvalsh(curvature), atol=1e-6)


def test_too_many_weights_are_refused():
    with pytest.raises(ValueError, match="\"kronecker\".*2049 inputs.*1000 outputs"):
        FullPosterior((2049, 1000)).build()
