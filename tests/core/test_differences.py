"""Differences of dictionaries, in words."""

from bdlzoo.core.differences import differences


def test_each_difference_is_named_once_with_both_values():
    there = {"a": 1, "b": {"c": [1, 2], "d": None}, "same": [1]}
    here = {"a": 2, "b": {"c": [1, 3]}, "e": "new", "same": [1]}
    assert list(differences(there, here, "config")) == [
        "config.a (1 there, 2 here)", "config.b.c.1 (2 there, 3 here)",
        "config.e (None there, 'new' here)"]


def test_lists_of_other_lengths_differ_as_a_whole():
    assert list(differences({"a": [1]}, {"a": [1, 2]})) == [
        "a ([1] there, [1, 2] here)"]


def test_long_values_are_cut():
    [words] = differences({"a": "x" * 500}, {"a": 1})
    assert len(words) < 130 and words.endswith("... there, 1 here)")
