"""Labels of a few rows."""

import numpy as np
import pytest

from bdlzoo import data

Y = np.array([0, 1, 2] * 10 + [0] * 5, "int32")


def test_as_many_rows_of_each_class_keep_their_label():
    found = data.few_labels(Y, 6)
    known = found >= 0
    assert found.dtype == Y.dtype and set(found[~known]) == {-1}
    np.testing.assert_array_equal(found[known], Y[known])
    np.testing.assert_array_equal(np.bincount(found[known]), [2, 2, 2])
    np.testing.assert_array_equal(found, data.few_labels(Y, 6))
    assert (found != data.few_labels(Y, 6, seed=1)).any()


@pytest.mark.parametrize("count", [0, 4, 33])
def test_counts_that_cannot_be_shared_are_refused(count):
    with pytest.raises(ValueError, match=f"3 classes.*count={count}"):
        data.few_labels(Y, count)
