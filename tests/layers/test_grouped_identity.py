"""Operations without weights return zeros, or the nodes."""

import numpy as np
import pytest

from tests.layers.cell_cases import make, nodes_of


@pytest.mark.parametrize("name, factor", [
    ("zero", 0.0), ("identity", 1.0), ("flat zero", 0.0), ("flat identity", 1.0)])
def test_nodes_are_kept_or_zero(name, factor):
    x = nodes_of(name)
    operation = make(name, x)
    np.testing.assert_array_equal(operation.outputs(x), factor * x)
    assert not operation.weights
    assert operation.silent == (factor == 0.0)
