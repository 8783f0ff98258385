"""Shares of replicas: their sum is what one device does."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import strategies
from bdlzoo.core.replicas import gathered, in_equal_shares, rows_of_all, share_of

SGD = keras.optimizers.SGD(0.1)


def _on_two(function, *parts):
    """Results of a function on two replicas, each with a part of its own."""
    strategy = strategies.make("mirrored")

    def value(place, context):
        return place[context.replica_id_in_sync_group]

    values = [strategy.experimental_distribute_values_from_function(
        lambda context, pair=pair: value(pair, context)) for pair in parts]
    # Shapes of rows are open, as in batches that do not divide.
    run = tf.function(lambda *rows: strategy.run(function, args=rows),
                      reduce_retracing=True)
    return [float(x) for x in strategy.experimental_local_results(run(*values))]



def _open(function):
    """The function with rows whose number is not known while it is traced."""
    def hidden(*rows):
        return function(*(tf.boolean_mask(row, row >= 0.0) for row in rows))
    return hidden


def test_loss_of_one_device_stays_as_it_is():
    x = tf.zeros([3, 2])
    assert float(share_of(tf.constant(6.0), SGD, x)) == 6.0
    assert float(rows_of_all(x)) == 3.0
    assert in_equal_shares(x, {"target": tf.zeros([1])}) is x


def test_loss_scales_with_its_optimiser():
    scaled = keras.optimizers.LossScaleOptimizer(SGD, initial_scale=4.0)
    scaled.build([])
    assert float(share_of(tf.constant(6.0), scaled)) == 24.0


def test_loss_counts_by_the_rows_of_a_replica():
    parts = [tf.zeros(3), tf.zeros(1)]
    found = _on_two(_open(lambda x: share_of(tf.constant(8.0), SGD, x)), parts)
    np.testing.assert_allclose(found, [6.0, 2.0])
    alike = _on_two(lambda x: share_of(tf.constant(8.0), SGD), parts)
    np.testing.assert_allclose(alike, [4.0, 4.0])


def test_rows_of_all_replicas_are_counted_where_they_differ():
    parts = [tf.zeros(3), tf.zeros(2)]
    assert _on_two(_open(rows_of_all), parts) == [5.0, 5.0]
    same = [tf.zeros(3), tf.zeros(3)]
    assert _on_two(rows_of_all, same) == [6.0, 6.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="a row for each replica"):
        _on_two(_open(rows_of_all), [tf.zeros(3), -tf.ones(2)])


@pytest.mark.parametrize("side, shared", [
    ((3, 1), True), ((6, 2), True), ((2, 2), False), ((1, 3), False)])
def test_sets_beside_the_inputs_are_shared_as_they_are(side, shared):
    def count(x, rows):
        x = in_equal_shares(x, {"target": rows})
        return tf.cast(tf.size(x), tf.float32)

    parts = [tf.zeros(3), tf.zeros(1)], [tf.zeros(size) for size in side]
    if shared:
        assert _on_two(_open(count), *parts) == [3.0, 1.0]
    else:
        with pytest.raises(tf.errors.InvalidArgumentError, match="batches of target"):
            _on_two(_open(count), *parts)


def test_rows_of_all_replicas_are_gathered_and_gradients_come_back():
    x = tf.constant([[1.0], [2.0]])
    assert gathered(x) is x  # On one device.

    def slope(rows):
        with tf.GradientTape() as tape:
            tape.watch(rows)
            whole = gathered(rows)  # [1, 2, 3, 4] on both.
            loss = share_of(tf.square(tf.reduce_sum(whole)), SGD)
        return tf.reduce_sum(tape.gradient(loss, rows))

    halves = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
    # Of the square of 10, for each of two rows: as on one device.
    assert _on_two(slope, halves) == [40.0, 40.0]
