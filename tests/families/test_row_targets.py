"""Moving averages of predictions, row by row."""

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.families.row_targets import RowTargets


def _table(decay=0.6, shape=(5, 2)):
    table = RowTargets(decay)
    table.build(shape)
    return table


def test_constant_predictions_are_the_target_from_the_first_time_on():
    table, rows = _table(), tf.constant([1, 4])
    always = tf.constant([[0.2, 0.8], [0.5, 0.5]])
    for _ in range(4):
        table.add(rows, always)
        targets, known = table.read(rows)
        np.testing.assert_allclose(targets, always, rtol=1e-6)
        assert np.all(known)


def test_targets_are_averages_with_corrected_start():
    table, rows, seen = _table(0.6), tf.constant([2]), []
    for share in (0.1, 0.9, 0.4):
        seen.append(share)
        table.add(rows, tf.constant([[share, 1.0 - share]]))
        weights = 0.6 ** np.arange(len(seen))[::-1]
        target = table.read(rows)[0].numpy()[0]
        assert target[0] == pytest.approx(np.average(seen, weights=weights), rel=1e-5)
        assert target.sum() == pytest.approx(1.0, rel=1e-6)


def test_only_rows_that_are_seen_move():
    table = _table()
    table.add(tf.constant([0, 3]), tf.ones([2, 2]))
    before = [w.numpy() for w in table.weights]
    table.add(tf.constant([3]), tf.zeros([1, 2]))
    for old, new in zip(before, table.weights):
        np.testing.assert_array_equal(old[:3], new.numpy()[:3])
    np.testing.assert_array_equal(table.counts, [1, 0, 0, 2, 0])
    np.testing.assert_array_equal(table.read(tf.range(5))[1],
                                  [True, False, False, True, False])
