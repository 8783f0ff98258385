"""Arrays of what users give."""

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import arrays


class Series:
    """A series of pandas, as far as it is used."""

    def __init__(self, values):
        self.values = np.asarray(values)

    def to_numpy(self):
        return self.values


def test_arrays_keep_their_kind():
    kinds = {"a": np.arange(3), "b": np.array(["x", "y", "z"]),
             "c": np.array([1, 2, 3], object), "d": np.array([True, False, True]),
             "e": tf.constant(["x"])}
    assert arrays.dtypes(arrays.of_inputs(kinds)) == {
        "a": "int64", "b": "string", "c": "int64", "d": "bool", "e": "string"}


def test_series_is_a_column_of_inputs_and_a_row_of_targets():
    found = arrays.of_inputs({"a": Series([1, 2])})["a"]
    np.testing.assert_array_equal(found, [[1], [2]])
    np.testing.assert_array_equal(arrays.of_targets(Series([1, 2])), [1, 2])
    words = arrays.of_inputs(Series(np.array(["x", "y"], object)))
    np.testing.assert_array_equal(words, [[b"x"], [b"y"]])
    assert arrays.of_targets(None) is None


@pytest.mark.parametrize("values, words", [
    ([1, None], "int"), (["a", 1], "int, str"), (["a", float("nan")], "float, str")])
def test_columns_of_several_kinds_are_refused(values, words):
    with pytest.raises(ValueError, match=rf"dict\(frame\).*objects of .*{words}"):
        arrays.of_inputs(np.array(values, object))
