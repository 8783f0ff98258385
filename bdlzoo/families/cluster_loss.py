"""Loss of features that do not form a cluster for each class.

    d_ij = mean over numbers of (f_i - f_j)**2
    loss = mean over all pairs of d_ij                    of the same class
                                  max(0, margin - d_ij)   of different classes

A row is a pair with itself too, as in the released code. The loss is 0 exactly where
all rows of a class have the same features, and those of different classes a distance
of at least the margin.

Reference: Luo et al., Smooth Neighbors on Teacher Graphs for Semi-supervised
Learning, CVPR 2018; Deng et al., Cluster Alignment with a Teacher, ICCV 2019.
"""

import tensorflow as tf


def cluster_loss(features, labels, margin):
    """Scalar loss of a batch.

    Args:
        features: Tensor `[B, F]`.
        labels: Integer classes `[B]`.
        margin: Float, distance that different classes keep.
    """
    distances = squared_distances(features)  # [B, B]
    same = labels[:, None] == labels[None]
    return tf.reduce_mean(tf.where(same, distances, tf.nn.relu(margin - distances)))


def squared_distances(features):
    """Mean squared differences of all pairs of rows, `[B, B]`."""
    squares = tf.reduce_mean(tf.square(features), axis=-1)
    products = tf.matmul(features, features, transpose_b=True)
    products /= tf.cast(tf.shape(features)[-1], features.dtype)
    # Without a tensor [B, B, F]. By rounding a distance may be below 0.
    return tf.nn.relu(squares[:, None] + squares[None] - 2.0 * products)
