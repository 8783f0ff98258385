"""Labels of few rows."""

import numpy as np
import pytest

from bdlzoo import data
from bdlzoo.data.keep_labels import labelled

Y = np.repeat(np.arange(5), 20)


@pytest.mark.parametrize("count, per_class", [(10, {2}), (12, {2, 3}), (99, {19, 20})])
def test_as_many_of_each_class_as_possible(count, per_class):
    kept = data.keep_labels(Y, count, seed=3)
    known = kept >= 0
    assert known.sum() == count
    np.testing.assert_array_equal(kept[known], Y[known])
    assert set(np.bincount(kept[known])) == per_class
    assert set(kept[~known]) == {-1}


def test_rare_classes_give_all_they_have():
    y = np.array([0] * 10 + [1] * 2)
    kept = data.keep_labels(y, 8)
    assert np.bincount(kept[kept >= 0]).tolist() == [6, 2]


def test_seed_chooses_the_rows():
    first, again, other = (data.keep_labels(Y, 10, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


@pytest.mark.parametrize("count", [0, 100, 101])
def test_more_labels_than_rows_are_refused(count):
    with pytest.raises(ValueError, match=f"{count} labels for 100 rows"):
        data.keep_labels(Y, count)


def test_numbers_are_refused():
    with pytest.raises(ValueError, match="type float64"):
        data.keep_labels(Y / 2, 10)


def test_rows_with_labels():
    split = data.Split(np.arange(4), np.array([2, -1, 0, -1]))
    assert [part.tolist() for part in labelled(split)] == [[0, 2], [2, 0]]
    whole = data.Split(np.arange(2), np.array([1, 0]))
    assert labelled(whole) is whole
