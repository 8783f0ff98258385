"""One draw for the batch, and one for each stacked draw."""

import numpy as np

from tests.layers.variational_cases import draw, inputs_of, make


def test_stacked_draws_have_kernels_of_their_own():
    layer, x = make("DenseReparameterization"), inputs_of("Dense")
    first, second = draw(layer, x, 2)
    step = np.linalg.lstsq(x, (first - layer(x).numpy()), rcond=None)[0]
    np.testing.assert_allclose(x @ step, first - layer(x), atol=1e-5)
    assert np.abs(first - second).max() > 1e-2
