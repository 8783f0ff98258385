"""Each epoch is a known permutation of the rows."""

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.data.epochs import epochs, num_batches

X = np.arange(20, dtype="float32").reshape(10, 2)
Y = np.arange(10, dtype="int32")


def _epoch(*args, batch_size=32, epoch=0, **kwargs):
    """Batches of one epoch."""
    count = num_batches(len(args[0]), batch_size)
    dataset = epochs(*args, batch_size=batch_size, **kwargs)
    return list(dataset.skip(epoch * count).take(count).as_numpy_iterator())


def _order(*args, **kwargs):
    return np.concatenate([y for _, y, *_ in _epoch(*args, **kwargs)])


@pytest.mark.parametrize("epoch", [0, 1, 7])
def test_order_is_that_of_seed_and_epoch(epoch):
    expected = noise.permutation(10, noise.key(3, noise.ORDER, epoch))
    np.testing.assert_array_equal(
        _order(X, Y, batch_size=4, seed=3, epoch=epoch), expected)


@pytest.mark.parametrize("start", [3, 6, 7])
def test_resumed_run_sees_the_batches_it_would_have_seen(start):
    whole = list(epochs(X, Y, batch_size=4).take(12).as_numpy_iterator())
    rest = epochs(X, Y, batch_size=4, start=start).take(12 - start)
    for (_, a), (_, b) in zip(whole[start:], rest.as_numpy_iterator(), strict=True):
        np.testing.assert_array_equal(a, b)


def test_groups_of_rows_stay_together():
    order = _order(X, Y, batch_size=4, seed=3, group=2)
    expected = noise.permutation(5, noise.key(3, noise.ORDER, 0)).numpy()
    np.testing.assert_array_equal(
        order, np.stack([2 * expected, 2 * expected + 1], axis=1).ravel())
    for size, group in ((5, 2), (3, 3)):
        with pytest.raises(ValueError, match=f"whole groups of {group}"):
            _epoch(X, Y, batch_size=size, group=group)


def test_seeds_differ():
    assert _order(X, Y, seed=0).tolist() != _order(X, Y, seed=1).tolist()


@pytest.mark.parametrize("shuffle", [True, False])
def test_every_row_comes_once_and_stays_with_its_target(shuffle):
    weight = np.linspace(0, 1, 10).astype("float32")
    batches = _epoch(X, Y, weight, batch_size=4, shuffle=shuffle)
    assert [len(y) for _, y, _ in batches] == [4, 4, 2]
    x, y, w = (np.concatenate(part) for part in zip(*batches, strict=True))
    assert sorted(y) == list(range(10))
    np.testing.assert_array_equal(x, X[y])
    np.testing.assert_array_equal(w, weight[y])
    assert (y.tolist() == list(range(10))) is not shuffle


def test_number_of_batches_counts_the_partial_one():
    assert num_batches(10, 4) == 3 and num_batches(10, 5) == 2


def test_structures_come_as_keras_expects_them():
    [only] = epochs(X, batch_size=10).take(1)
    assert isinstance(only, tuple) and len(only) == 1
    inputs = {"a": X, "b": (Y, tf.constant(X))}
    [(x, y)] = epochs(inputs, Y, batch_size=10).take(1)
    np.testing.assert_array_equal(x["a"], X[y])
    np.testing.assert_array_equal(x["b"][1], X[y])


def test_weights_come_without_targets_too():
    [(x, y, weight)] = epochs(X, sample_weight=Y, batch_size=10).take(1)
    assert y is None
    np.testing.assert_array_equal(x, X[weight])


def test_float64_becomes_what_keras_computes_in():
    [(x, y)] = epochs(X.astype("float64"), tf.cast(Y, tf.float64)).take(1)
    assert x.dtype == y.dtype == tf.float32


def test_arrays_are_captured_and_not_copied_into_the_graph():
    big = np.random.default_rng(0).random((1000, 256), "float32")
    dataset = epochs(big, batch_size=100)
    graph = dataset._as_serialized_graph().numpy()
    functions = tf.compat.v1.GraphDef.FromString(graph).library
    assert functions.ByteSize() < big.nbytes / 10


def test_many_batches_keep_their_order():
    y = np.arange(2000, dtype="int32")
    first, again = (_order(y, y, batch_size=7) for _ in range(2))
    np.testing.assert_array_equal(first, again)
    np.testing.assert_array_equal(
        first, noise.permutation(2000, noise.key(0, noise.ORDER, 0)))


@pytest.mark.parametrize("arguments, words", [
    ({"x": X, "y": Y[:5]}, "same number of rows"),
    ({"x": X[:0], "y": Y[:0]}, "at least one"),
    ({"x": np.float32(1)}, "same number of rows"),
    ({"x": X, "y": [1.0] * 10}, "Expected arrays.*Received: float"),
    ({"x": X, "batch_size": 0}, "Received: batch_size=0"),
    ({"x": X, "batch_size": 11, "drop_remainder": True}, "one whole batch"),
])
def test_impossible_arguments_are_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        epochs(**arguments)


def test_copies_have_orders_of_their_own():
    batches = _epoch(X, Y, batch_size=4, seed=3, copies=3)
    assert [x.shape for x, _ in batches] == [(4, 3, 2), (4, 3, 2), (2, 3, 2)]
    rows = np.concatenate([y for _, y in batches])  # [N, M]
    np.testing.assert_array_equal(np.sort(rows, axis=0), np.tile(Y[:, None], 3))
    assert len(set(map(tuple, rows.T))) == 3
    x, y = batches[0]
    np.testing.assert_array_equal(x, X[y])  # Rows and targets stay together.
    more = np.concatenate([y for _, y in _epoch(X, Y, batch_size=4, seed=3, copies=5)])
    np.testing.assert_array_equal(more[:, :3], rows)


def test_copies_without_shuffling_are_refused():
    with pytest.raises(ValueError, match="not shuffled"):
        epochs(X, Y, copies=2, shuffle=False)


def test_batches_of_one_shape_resume_where_they_stopped():
    dataset = epochs(X, Y, batch_size=4, drop_remainder=True)
    assert [spec.shape[0] for spec in dataset.element_spec] == [4, 4]
    first = [y.numpy() for _, y in dataset.take(7)]
    assert len(set(np.concatenate(first[:2]))) == 8  # Of ten rows, two are left out.
    # In the middle of an epoch, whose batches are two and not three.
    resumed = epochs(X, Y, batch_size=4, drop_remainder=True, start=5)
    for expected, (_, y) in zip(first[5:], resumed.take(2), strict=True):
        np.testing.assert_array_equal(y, expected)


def test_lists_of_inputs_come_as_tuples():
    (first, second), y = next(iter(epochs([X, 2 * X], Y, batch_size=4, shuffle=False)))
    np.testing.assert_array_equal(first, X[:4])
    np.testing.assert_array_equal(second, 2 * X[:4])
