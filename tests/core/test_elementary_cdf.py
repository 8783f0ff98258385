"""The normal distribution function without an error function."""

import numpy as np
import tensorflow as tf
from scipy import stats

from bdlzoo.core.elementary_cdf import elementary_cdf


def test_distribution_function_is_that_of_scipy():
    values = np.linspace(-8.0, 8.0, 4001).astype("float32")
    found = elementary_cdf(tf.constant(values))
    np.testing.assert_allclose(found, stats.norm.cdf(values), rtol=0, atol=3e-7)
    assert float(found[0]) >= 0.0 and float(found[-1]) == 1.0
