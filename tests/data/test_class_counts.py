"""Subsets with chosen numbers of rows."""

import numpy as np
import pytest

from bdlzoo.data import with_class_counts

Y = np.repeat([0, 1, 2], 20)
X = np.arange(60.0)[:, None]


def test_counts_and_labels_are_those_that_are_asked_for():
    x, y = with_class_counts(X, Y, {2: 15, 0: 5}, seed=3)
    assert np.bincount(y).tolist() == [15, 5] and y.dtype == np.int32
    np.testing.assert_array_equal(Y[x[:, 0].astype(int)], np.array([2, 0])[y])
    assert len(np.unique(x)) == 20 and (np.diff(y) != 0).sum() > 2  # Mixed.
    np.testing.assert_array_equal(with_class_counts(X, Y, {2: 15, 0: 5}, 3).x, x)
    other = with_class_counts(X, Y, {2: 15, 0: 5}, 4).x
    assert set(other.flat) != set(x.flat)  # Other rows, and not another order alone.


@pytest.mark.parametrize("count", [0, 21])
def test_more_rows_than_there_are_cannot_be_drawn(count):
    with pytest.raises(ValueError, match=rf"from 1 to 20.*counts\[1\]={count}"):
        with_class_counts(X, Y, {0: 5, 1: count})
