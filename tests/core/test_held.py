"""Values are computed once in a block, and anew outside of blocks."""

import itertools

import pytest

from bdlzoo.core import held


def test_a_value_is_computed_once_in_a_block():
    count = itertools.count()
    with held.values():
        assert [held.once("a", lambda: next(count)) for _ in range(3)] == [0, 0, 0]
        assert held.once("b", lambda: next(count)) == 1
    assert [held.once("a", lambda: next(count)) for _ in range(2)] == [2, 3]


def test_inner_block_has_values_of_its_own_and_leaves_the_outer_ones():
    with held.values():
        held.once("a", lambda: "outer")
        with pytest.raises(KeyError), held.values():
            assert held.once("a", lambda: "inner") == "inner"
            raise KeyError
        assert held.once("a", lambda: "other") == "outer"
