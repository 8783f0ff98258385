"""Counts and weights of positions."""

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core.positions import Positions, check_labelled, cleaned

VALUES = np.random.default_rng(0).normal(size=(4, 3)).astype("float32")
COUNTS = np.array([[1, 1, 0], [1, 0, 0], [0, 0, 0], [1, 1, 1]], bool)
ROWS = np.array([1.0, 2.0, 3.0, 0.5], "float32")


def test_mean_divides_by_the_number_that_counts_and_not_by_weights():
    found = Positions(VALUES, ROWS, [COUNTS])
    wanted = (VALUES * ROWS[:, None])[COUNTS].sum() / 6
    np.testing.assert_allclose(found.mean(VALUES), wanted, rtol=1e-6)
    assert float(found.per_row) == 1.5
    np.testing.assert_allclose(Positions(VALUES, ROWS).mean(VALUES),
                               (VALUES * ROWS[:, None]).mean(), rtol=1e-6)
    assert Positions(VALUES).per_row == 3.0 and Positions(ROWS).per_row == 1.0


def test_what_does_not_count_may_be_not_a_number():
    values = np.where(COUNTS, VALUES, np.nan)
    found = Positions(values, None, [COUNTS])
    np.testing.assert_allclose(found.mean(values), VALUES[COUNTS].mean(), rtol=1e-6)
    np.testing.assert_allclose(found.row_sums(values), np.where(
        COUNTS, VALUES, 0).sum(1), rtol=1e-6)
    np.testing.assert_array_equal(found.rows(np.where(COUNTS, 7, 255)),
                                  np.where(COUNTS, 7, 0).ravel())
    assert not np.isnan(found.rows(np.stack([values] * 2, -1))).any()
    np.testing.assert_array_equal(cleaned(np.full((4, 3, 1), 9), tf.constant(
        COUNTS))[..., 0], np.where(COUNTS, 9, 0))


def test_masks_of_fewer_axes_hold_for_all_labels():
    labels = np.stack([VALUES] * 5, axis=-1)
    found = Positions(labels, None, [COUNTS, None, ROWS < 3])
    wanted = COUNTS & (ROWS < 3)[:, None]
    np.testing.assert_array_equal(found.counts, np.stack([wanted] * 5, -1))
    assert float(found.per_row) == wanted.sum() * 5 / 4


def test_weights_of_rows_and_positions_reach_what_they_weigh():
    found = Positions(VALUES, ROWS[:, None], [COUNTS])
    np.testing.assert_allclose(found.row_weights,
                               (COUNTS * ROWS[:, None]).ravel())
    np.testing.assert_allclose(found.weights_of(tf.constant(VALUES)),
                               COUNTS * ROWS[:, None])
    np.testing.assert_allclose(found.weights_of(tf.constant(ROWS)), ROWS)
    assert Positions(VALUES, VALUES).weights_of(tf.constant(ROWS)) is None
    assert Positions(VALUES).row_weights is None


@pytest.mark.parametrize("shape, words", [
    ((4, 2), "sample_weight of shape .4, 2., with 2 on axis 1"),
    ((4, 3, 2), "axis 2 is no axis of positions")])
def test_another_shape_is_refused_by_its_axis(shape, words):
    with pytest.raises(ValueError, match=words):
        Positions(VALUES, np.ones(shape))
    with pytest.raises(ValueError, match=words.replace("sample_weight", "mask")):
        Positions(VALUES, None, [np.ones(shape, bool)])


def test_batch_without_anything_that_counts_has_loss_zero():
    found = Positions(VALUES, None, [np.zeros_like(COUNTS)])
    assert float(found.mean(VALUES)) == 0.0 and float(found.per_row) > 0.0


def test_a_row_without_a_label_is_named():
    y = np.array([[1, 9], [9, 9], [2, 1], [9, 9]])
    check_labelled(y, None)
    check_labelled(y[[0, 2]], 9)
    with pytest.raises(ValueError, match="2 such images, the first at index 1"):
        check_labelled(y, 9)
