"""Batches: what they hold, and what is refused."""

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import batches

X = np.arange(12, dtype="float32").reshape(6, 2)
Y = np.arange(6)


def _dataset(*arrays):
    return tf.data.Dataset.from_tensor_slices(arrays).batch(4)


@pytest.mark.parametrize("data, expected", [
    (X, (X, None, None)), ((X,), (X, None, None)), ((X, Y), (X, Y, None)),
    ((X, None, Y), (X, None, Y))])
def test_batch_is_unpacked_and_packed_up_to_its_last_part(data, expected):
    found = batches.unpack(data)
    assert all(a is b for a, b in zip(found, expected, strict=True))
    again = batches.packed(found)
    assert isinstance(again, tuple) and again[-1] is not None
    assert all(a is b for a, b in zip(again, expected))


def test_sample_is_all_arrays_or_a_first_batch():
    assert batches.example((X, Y))[1] is Y and batches.example(X)[0] is X
    x, y, weight = batches.example(_dataset(X, Y))
    assert x.shape == (4, 2) and y.shape == (4,) and weight is None
    used_up = iter([X])
    assert batches.example(used_up) is None and next(used_up) is X
    assert batches.example(None) is None
    with pytest.raises(ValueError, match="empty dataset"):
        batches.example(_dataset(X).take(0))


def test_rows_are_taken_from_all_arrays_of_a_structure():
    found = batches.take({"a": X, "b": (Y,)}, np.array([5, 0]))
    np.testing.assert_array_equal(found["a"], X[[5, 0]])
    np.testing.assert_array_equal(found["b"][0], [5, 0])
    assert batches.take(None, slice(2)) is None
    assert batches.num_rows(found) == 2


def test_arrays_and_tensors_are_told_from_other_data():
    assert batches.is_arrays({"a": X, "b": tf.constant(Y)})
    for other in (None, {}, _dataset(X), [1.0, 2.0], {"a": X, "b": None}, iter([X])):
        assert not batches.is_arrays(other)


def test_layout_names_parts_or_keeps_their_order():
    assert batches.layout(X) == [(2,)]
    assert batches.layout((X, Y)) == batches.layout([X, Y]) == [(2,), ()]
    assert batches.layout({"b": X, "a": Y}) == {"a": [()], "b": [(2,)]}
    assert batches.row_shapes({"a": X}) == {"a": (None, 2)}


@pytest.mark.parametrize("x, y, words", [
    (X[:0], None, r"at least one row.*\[0\]"),
    ((X, X[:3]), None, r"as many of each.*\[6, 3\]"),
    (X, Y[:5], r"as many targets.*\[6\].*\[5\]"),
    (X, {"a": Y, "b": Y[:2]}, r"as many targets.*\[6, 2\]"),
    (X, [1, 2, 3, 4, 5, 6], "Expected arrays.*int in a list")])
def test_rows_that_do_not_match_are_refused(x, y, words):
    with pytest.raises(ValueError, match=words):
        batches.check_rows(x, y)
    batches.check_rows((X, X), {"a": Y, "b": Y})


def test_inputs_that_are_no_numbers_are_counted():
    broken = X.copy()
    broken[[2, 4], 0] = np.nan, np.inf
    with pytest.raises(ValueError, match="2 of 6 rows.*first at index 2"):
        batches.check_finite({"a": X, "b": broken})
    batches.check_finite((X, Y, np.array(["a"])))


@pytest.mark.parametrize("share", [0.0, 1.0, -0.5, 3])
def test_share_is_above_0_and_below_1(share):
    with pytest.raises(ValueError, match=f"validation_split={share}"):
        batches.check_share(share)


def test_length_of_a_dataset_is_known_or_not():
    whole = _dataset(X)
    assert batches.num_batches(whole) == 2
    assert batches.count_rows(whole, X[:4]) == 8  # The last one taken for whole.
    for open_end in (whole.repeat(), whole.filter(lambda x: True), iter([X])):
        assert batches.num_batches(open_end) is None
        assert batches.count_rows(open_end, X[:4]) is None
    assert batches.count_rows(whole, None) is None


def test_inputs_of_datasets_leave_targets_out():
    found = list(batches.inputs_of(_dataset(X, Y)))
    np.testing.assert_array_equal(np.concatenate(found), X)
    assert batches.inputs_of(X) == [X]


def test_mean_is_weighed_row_by_row():
    rows = tf.constant([1.0, 2.0, 6.0])
    assert float(batches.weighed_mean(rows, None)) == 3.0
    assert float(batches.weighed_mean(rows, np.array([[0], [3], [1]]))) == 4.0


def test_guarded_tensors_wait_for_their_checks():
    @tf.function
    def guarded(x):
        check = tf.debugging.assert_positive(x, "Expected more.")
        return batches.guarded({"a": x}, [check])["a"]

    assert float(guarded(tf.constant(2.0))) == 2.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expected more"):
        guarded(tf.constant(-1.0))


LOST = (np.nan, np.inf, -np.inf)


@pytest.mark.parametrize("size", [1, 3, 17, 100, 4_097, 300_001])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_nothing_that_is_not_finite_seems_finite(size, dtype):
    """Wherever it stands, and whatever stands beside it."""
    rng = np.random.default_rng(size)
    usual, large = rng.normal(size=size).astype(dtype), np.finfo(dtype).max
    look = tf.function(lambda tensor: batches.seem_finite(tensor, dtype))
    assert look(tf.constant(usual))
    for values in ([lost] for lost in LOST):
        for place in {0, size // 2, size - 1, int(rng.integers(size))}:
            array = usual.copy()
            array[place] = values[0]
            assert not look(tf.constant(array))
    for values in ((np.inf, -np.inf), (np.inf, -large), (np.nan, np.inf), LOST):
        places = rng.permutation(size)[:len(values)]
        array = usual.copy()
        array[places] = values[:len(places)]
        assert not look(tf.constant(array))
        assert not look(tf.constant(np.resize(values, size).astype(dtype)))


@pytest.mark.parametrize("size", [2, 4_096])
def test_large_numbers_may_not_seem_finite_but_none_is_missed(size):
    """`check_finite`, which looks closer, decides."""
    large = np.full(size, 3e38, "float32")
    assert not batches.seem_finite(tf.constant(large), "float32")
    batches.check_finite(large)
    signs = np.resize([1.0, -1.0], size)
    for beyond in (1e300 * signs, 1e39 * signs):  # Their sum is 0.
        assert not batches.seem_finite(tf.constant(beyond), "float32")
        with pytest.raises(ValueError, match="infinite in float32"):
            batches.check_finite(beyond, dtype="float32")
    assert batches.seem_finite(tf.constant(1e30 * signs), "float32")
    for array, dtype in ((7e4 * signs.astype("float32"), "float16"),
                         (1e39 * signs, "bfloat16")):
        assert not batches.seem_finite(tf.constant(array), dtype)
    assert batches.seem_finite(tf.constant(signs.astype("float32")), "float16")
