"""Gaussian codes."""

import numpy as np
from scipy import stats

from bdlzoo.core.gaussian_code import GaussianCode


def test_entropy_is_that_of_independent_gaussians():
    scale = np.random.default_rng(0).uniform(0.1, 3.0, size=(4, 5))
    code = GaussianCode(np.zeros((4, 5)), scale)
    np.testing.assert_allclose(code.entropy, stats.norm(scale=scale).entropy().sum(1))
    mean, again = code
    assert again is scale and not mean.any()
