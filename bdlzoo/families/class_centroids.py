"""Centroids of classes, and the distance of those of two domains.

    c_k  = mean of the features of class k in a batch
    loss = mean over classes k in both batches of
           mean over numbers of (c_k of the source - c_k of the target)**2

Classes that one of the batches does not have count for nothing. Masks are weights, so
that shapes are known to XLA.
"""

import tensorflow as tf


def centroids(features, labels, num_classes):
    """Means of classes `[C, F]`, which are 0 without rows, and counts `[C]`.

    Args:
        features: Tensor `[B, F]`.
        labels: Integer classes `[B]`.
        num_classes: Integer.
    """
    members = tf.one_hot(labels, num_classes, dtype=features.dtype)  # [B, C]
    counts = tf.reduce_sum(members, axis=0)
    sums = tf.matmul(members, features, transpose_a=True)
    return sums / tf.maximum(counts, 1.0)[:, None], counts


def centroid_loss(source, labels, target, pseudo_labels, num_classes):
    """Scalar distance of the centroids of two batches.

    Args:
        source: Features of the source, `[B, F]`.
        labels: Integer classes of the source, `[B]`.
        target: Features of the target, `[T, F]`.
        pseudo_labels: Integer classes of the target, `[T]`.
        num_classes: Integer.
    """
    (first, here), (second, there) = (
        centroids(source, labels, num_classes),
        centroids(target, pseudo_labels, num_classes))
    both = tf.cast((here > 0.0) & (there > 0.0), source.dtype)  # [C]
    gaps = tf.reduce_mean(tf.square(first - second), axis=-1)
    return tf.reduce_sum(both * gaps) / tf.maximum(tf.reduce_sum(both), 1.0)
