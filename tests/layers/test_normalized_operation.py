"""Operations on images return normalised outputs."""

import numpy as np

from tests.layers.cell_cases import GROUPS, IMAGE, OPERATIONS, WIDTH


def test_convolutions_normalise_what_comes_out():
    operation = OPERATIONS["separable_3x3"](GROUPS)
    operation.build((IMAGE.shape, (GROUPS,)))
    outputs = operation.outputs(IMAGE, training=True).numpy()
    outputs = outputs.reshape(-1, GROUPS * WIDTH)
    np.testing.assert_allclose(outputs.mean(0), 0.0, atol=1e-5)
    # Where the variance is large beside BatchNorm's epsilon.
    assert (outputs.var(0) < 1.0).all() and outputs.var(0).max() > 0.5
