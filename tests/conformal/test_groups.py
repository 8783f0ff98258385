"""Groups of rows: each has what was fitted to it, and new ones are refused."""

import numpy as np
import pytest

from bdlzoo.conformal import groups


def test_each_row_gets_what_was_fitted_to_its_group():
    names = np.array(["b", "a", "b", "c"])
    rows = groups.rows_of(names, 4)
    assert {name: list(places) for name, places in rows.items()} == {
        "a": [1], "b": [0, 2], "c": [3]}
    found = groups.fitted(lambda places: places.sum() + np.zeros(2), rows)
    np.testing.assert_array_equal(
        groups.of_rows(found, ["c", "b"], 2), [[3, 3], [2, 2]])


def test_without_groups_all_rows_are_one():
    found = groups.fitted(np.size, groups.rows_of(None, 5))
    np.testing.assert_array_equal(groups.of_rows(found, None, 3), [5, 5, 5])


def test_errors_name_the_group():
    def refuse(places):
        raise ValueError("Expected more rows")

    with pytest.raises(ValueError, match="more rows, in group 7"):
        groups.fitted(refuse, {7: np.arange(2)})
    with pytest.raises(ValueError, match="more rows$"):
        groups.fitted(refuse, groups.rows_of(None, 2))
    with pytest.raises(ValueError, match=r"seen: \[1, 2\]. Received: groups with 3"):
        groups.of_rows({1: 0.0, 2: 0.0}, [1, 3], 2)
    with pytest.raises(ValueError, match="Received: groups=None"):
        groups.of_rows({1: 0.0}, None, 2)
    with pytest.raises(ValueError, match="for each row"):
        groups.rows_of([1.5, 2.5], 2)
    with pytest.raises(ValueError, match="for each row"):
        groups.rows_of([1], 2)
