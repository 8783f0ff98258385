"""The path of an operation is left out for whole rows, and in training only."""

import numpy as np

from bdlzoo.layers.grouped_dense import GroupedDense

ROWS, GROUPS, WIDTH = 400, 2, 3


def _operation():
    operation = GroupedDense(GROUPS, drop_path=0.5, use_bias=False)
    operation.build(((None, GROUPS * WIDTH), (GROUPS,)))
    operation.kernel.assign(np.stack([np.eye(WIDTH)] * GROUPS))
    return operation


def test_dropped_paths_are_those_of_a_row_and_a_node():
    x = np.ones((ROWS, GROUPS * WIDTH), "float32")
    found = _operation()((x, np.array([1.0, 10.0], "float32")), training=True).numpy()
    # Kept paths are doubled, so that the mean stays.
    values, counts = np.unique(found, return_counts=True)
    np.testing.assert_array_equal(values, [0.0, 2.0, 20.0, 22.0])
    assert (np.abs(counts / found.size - 0.25) < 0.1).all()
    np.testing.assert_array_equal(found, np.repeat(found[:, :1], WIDTH, axis=1))


def test_no_path_is_dropped_in_prediction():
    x = np.ones((4, GROUPS * WIDTH), "float32")
    found = _operation()((x, np.array([1.0, 10.0], "float32")))
    np.testing.assert_allclose(found, 11.0 * np.ones((4, WIDTH)), rtol=1e-6)
