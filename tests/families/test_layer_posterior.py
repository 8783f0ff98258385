"""What all posteriors of a layer have: means over rows."""

import numpy as np
import tensorflow as tf

from bdlzoo.families.diagonal_posterior import DiagonalPosterior
from tests.families import posterior_cases as cases


def test_means_do_not_depend_on_the_batches_and_can_be_cleared():
    posterior = cases.filled(DiagonalPosterior)
    whole = posterior.sums_of_rows(*map(tf.constant, (
        cases.FEATURES, cases.PROBS, cases.PROBS, cases.WEIGHTS)))["curvature"]
    np.testing.assert_allclose(posterior.means["curvature"], whole / cases.ROWS,
                               rtol=1e-5)
    posterior.scale(2.0)
    np.testing.assert_allclose(posterior.means["curvature"], 2 * whole / cases.ROWS,
                               rtol=1e-5)
    posterior.clear()
    assert not np.any(posterior.means["curvature"])
