"""Quick distribution functions against scipy."""

import numpy as np
import pytest
import scipy.stats

from bdlzoo.core import quick_cdf


@pytest.mark.parametrize("dtype, rtol", [("float32", 2e-5), ("float64", 1e-9)])
def test_student_t_matches_scipy_on_both_sides(dtype, rtol):
    df = np.array([2.1, 5.0, 80.0], dtype)
    values = np.array([[-30.0], [-1.3], [0.5], [0.7], [40.0]], dtype)
    location, scale = np.array(0.5, dtype), np.array(2.0, dtype)
    found = quick_cdf.StudentT(df, location, scale).cdf(values)
    np.testing.assert_allclose(found, scipy.stats.t(df, 0.5, 2.0).cdf(values),
                               rtol=rtol)


def test_negative_binomial_matches_scipy_between_counts_too():
    size, probs = np.array([0.4, 3.0, 50.0]), 0.3
    values = np.array([[-1.0], [0.0], [2.6], [7.0], [90.0]])
    found = quick_cdf.NegativeBinomial(size, probs=np.full(3, probs)).cdf(values)
    expected = scipy.stats.nbinom(size, 1.0 - probs).cdf(np.floor(values))
    np.testing.assert_allclose(found, expected, rtol=1e-8)
