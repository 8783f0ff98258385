"""Shares of one replica in what all replicas of a strategy do together."""

import tensorflow as tf

from bdlzoo.core.batches import flat, guarded


def share_of(loss, optimizer, x=None):
    """A mean loss as one replica minimises it: `apply` sums over replicas.

    Args:
        loss: Scalar, the mean over the rows of this replica.
        optimizer: Keras optimiser.
        x: Inputs of this replica, which may have fewer rows than others; `None`
            where all have as many.
    """
    replicas = tf.distribute.get_replica_context().num_replicas_in_sync
    share = 1.0 / replicas
    if replicas > 1 and x is not None:
        share = tf.cast(tf.shape(flat(x)[0])[0], loss.dtype) / rows_of_all(x)
    return optimizer.scale_loss(loss * share)


def in_equal_shares(x, side):
    """Inputs, once the sets beside them are found cut as they are.

    The loss of a replica counts by its share of the inputs. Where its share of
    another set is not the same, the mean over that set would be another one than on
    one device.

    Args:
        x: Inputs of this replica.
        side: Dictionary of the batches beside them, by name.
    """
    if tf.distribute.get_replica_context().num_replicas_in_sync == 1:
        return x
    own, whole = tf.cast(tf.shape(flat(x)[0])[0], tf.float32), rows_of_all(x)
    return guarded(x, [tf.debugging.assert_equal(
        tf.cast(tf.shape(flat(rows)[0])[0], tf.float32) * whole,
        own * rows_of_all(rows), f"Expected batches of {name} that replicas share as "
        "they share the inputs: use sizes that they divide.")
        for name, rows in side.items()])


def gathered(rows):
    """Rows of all replicas, in one order on all of them; gradients flow back.

    For losses of pairs of rows, or of means of groups of rows: those of one replica
    would not add up to those of the whole batch.

    Args:
        rows: Tensor `[B, ...]` of this replica.
    """
    context = tf.distribute.get_replica_context()
    if context.num_replicas_in_sync == 1:
        return rows
    return context.all_gather(rows, axis=0)


def rows_of_all(x):
    """Rows of a batch on all replicas together, a float.

    Args:
        x: Inputs of this replica.
    """
    context, rows = tf.distribute.get_replica_context(), flat(x)[0]
    count = tf.shape(rows)[0]
    if context.num_replicas_in_sync == 1 or rows.shape[0] is not None:
        # A batch whose size is known was cut into equal parts.
        return tf.cast(count * context.num_replicas_in_sync, tf.float32)
    check = tf.debugging.assert_positive(
        count, "Expected a row for each replica in every batch: use "
        "`drop_remainder=True` in `batch` of the dataset.")
    count = tf.cast(guarded(count, [check]), tf.float32)
    return context.all_reduce(tf.distribute.ReduceOp.SUM, count)
