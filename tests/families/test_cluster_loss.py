"""Clusters: fixtures, where the loss is 0, and what does not matter."""

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.families.cluster_loss import cluster_loss, squared_distances

FEATURES = np.array([[0, 0], [1, 0], [0, 3], [4, 3]], "float32")
LABELS = np.array([0, 0, 1, 1], "int32")


@pytest.mark.parametrize("margin, expected", [(30.0, 12.1875), (5.0, 1.125)])
def test_loss_of_four_rows(margin, expected):
    np.testing.assert_allclose(cluster_loss(FEATURES, LABELS, margin), expected)


def test_loss_is_zero_exactly_where_classes_are_points_at_the_margin():
    points = np.array([[0, 0], [0, 0], [2, 2], [2, 2]], "float32")  # Distance 4.
    assert float(cluster_loss(points, LABELS, 4.0)) == 0.0
    assert float(cluster_loss(points, LABELS, 4.01)) > 0.0
    points[1, 0] = 0.01
    assert float(cluster_loss(points, LABELS, 3.9)) > 0.0


def test_distances_are_means_over_numbers():
    features = np.random.default_rng(0).normal(size=(6, 3)).astype("float32")
    expected = np.square(features[:, None] - features[None]).mean(axis=-1)
    np.testing.assert_allclose(squared_distances(features), expected, atol=1e-6)


def test_order_of_rows_does_not_matter():
    order = [2, 0, 3, 1]
    np.testing.assert_allclose(cluster_loss(FEATURES[order], LABELS[order], 30.0),
                               cluster_loss(FEATURES, LABELS, 30.0))


def test_gradient_is_finite_where_rows_are_the_same():
    features = tf.Variable(np.ones((4, 2), "float32"))
    with tf.GradientTape() as tape:
        loss = cluster_loss(features, LABELS, 30.0)
    assert np.isfinite(tape.gradient(loss, features)).all()
