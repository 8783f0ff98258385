"""Centroids of classes, also of those that are not there."""

import numpy as np
import tensorflow as tf

from bdlzoo.families.class_centroids import centroid_loss, centroids

SOURCE = np.array([[0, 0], [1, 0], [0, 3], [4, 3]], "float32")
LABELS, GUESSED = np.array([0, 0, 1, 1], "int32"), np.array([0, 0, 0, 1], "int32")


def test_loss_of_four_rows():
    found = centroid_loss(SOURCE, LABELS, SOURCE + 1.0, GUESSED, 3)
    np.testing.assert_allclose(found, 3.673611, rtol=1e-6)


def test_absent_classes_change_nothing():
    found = [float(centroid_loss(SOURCE, LABELS, SOURCE + 1.0, GUESSED, count))
             for count in (2, 3, 50)]
    np.testing.assert_allclose(found, found[0], rtol=1e-6)
    # A class that only one of the domains has counts for nothing either.
    extra = np.append(SOURCE, [[99.0, 99.0]], axis=0).astype("float32")
    more = centroid_loss(extra, np.append(LABELS, 2), SOURCE + 1.0, GUESSED, 3)
    np.testing.assert_allclose(more, found[0], rtol=1e-6)
    assert float(centroid_loss(SOURCE, 0 * LABELS, SOURCE, 0 * LABELS + 1, 3)) == 0.0


def test_loss_is_zero_where_centroids_meet():
    moved = SOURCE + np.array([[1, 0], [-1, 0], [0, 2], [0, -2]], "float32")
    assert float(centroid_loss(SOURCE, LABELS, moved, LABELS, 3)) == 0.0


def test_centroids_and_counts():
    means, counts = centroids(SOURCE, GUESSED, 3)
    np.testing.assert_allclose(means, [[1 / 3, 1], [4, 3], [0, 0]], rtol=1e-6)
    np.testing.assert_array_equal(counts, [3, 1, 0])


def test_weights_in_place_of_masks_compile():
    function = tf.function(centroid_loss, jit_compile=True)
    arguments = [tf.constant(part) for part in (SOURCE, LABELS, SOURCE + 1, GUESSED)]
    np.testing.assert_allclose(function(*arguments, 3), 3.673611, rtol=1e-6)
