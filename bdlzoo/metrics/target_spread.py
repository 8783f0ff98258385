"""Sums of squares of targets about their mean, and of errors.

    spread      = sum of w (y - average of y)**2
    unexplained = sum of w (y - mean)**2 / spread,    r2 = 1 - unexplained

All sums are in float64. Those of targets are about their own average: squares of
targets around 1e8 would leave no digit for a spread of 1. Two parts of the rows with
weights W and V and averages a and b have together

    spread = spread_a + spread_b + (a - b)**2 W V / (W + V)

Replicas hold their parts in rows of their own, because averages cannot be added.

Reference: Chan, Golub and LeVeque, Algorithms for Computing the Sample Variance, The
American Statistician 1983.
"""

import tensorflow as tf
from keras import ops


class TargetSpread:
    """Adds up what the coefficient of determination needs.

    Args:
        metric: Keras metric that holds the variables.
        num_outputs: Integer, number of targets in each row.
    """

    def __init__(self, metric, num_outputs):
        self.num_replicas = tf.distribute.get_strategy().num_replicas_in_sync
        shapes = dict(rows=(), mass=(self.num_replicas, 1), errors=(num_outputs,),
                      average=(self.num_replicas, num_outputs),
                      spread=(self.num_replicas, num_outputs))
        for name, shape in shapes.items():
            setattr(self, name, metric.add_variable(
                shape, "zeros", dtype="float64", name=f"target_{name}"))

    def add(self, targets, means, weights):
        """Adds a batch.

        Args:
            targets: Tensor `[N, D]` of float64.
            means: Predicted means `[N, D]` of float64.
            weights: Tensor `[N]` of float64.
        """
        # A replica may have no row of the last batch: there is always one, of weight 0.
        targets, means = (ops.pad(part, ((0, 1), (0, 0))) for part in (targets, means))
        weights = ops.expand_dims(ops.pad(weights, ((0, 1),)), axis=-1)  # [N, 1]
        self.rows.assign_add(ops.sum(ops.cast(weights > 0, "float64")))
        self.errors.assign_add(ops.sum(weights * (targets - means)**2, axis=0))
        # About a row that counts. Equal targets then have a spread of exactly 0.
        origin = ops.take(targets, ops.argmax(weights[:, 0]), axis=0)  # [D]
        shifted = targets - origin
        mass = ops.sum(weights)
        total = ops.sum(weights * shifted, axis=0)
        shift = ops.divide_no_nan(total, mass)
        spread = ops.maximum(ops.sum(weights * shifted**2, axis=0) - total * shift, 0.0)
        own = self._own_row()
        old_mass, old_average = (ops.sum(own * part, axis=0)
                                 for part in (self.mass, self.average))
        step = origin + shift - old_average
        share = ops.divide_no_nan(mass, mass + old_mass)
        self.spread.assign_add(own * (spread + step**2 * old_mass * share))
        self.average.assign_add(own * (step * share))
        self.mass.assign_add(own * mass)

    def unexplained(self):
        """Share of the variance that the means leave unexplained, `[D]`, as float64.

        It is 1 for equal targets that are missed, 0 for equal targets that are met, NaN
        for one row, and 1 without rows.
        """
        spread = self._joined_spread()
        equal = ops.cast(ops.logical_or(self.errors > 0, self.rows == 0), "float64")
        share = ops.where(spread > 0, ops.divide_no_nan(self.errors, spread), equal)
        return ops.where(self.rows == 1, float("nan"), share)

    def _joined_spread(self):
        mass, average = map(ops.convert_to_tensor, (self.mass, self.average))
        first = average[0]
        # Averages of replicas are compared with one of them, and not with 0.
        gaps = ops.where(mass > 0, average - first, 0.0)
        centre = ops.divide_no_nan(ops.sum(mass * gaps, axis=0), ops.sum(mass))
        return ops.sum(self.spread + mass * (gaps - centre)**2, axis=0)

    def _own_row(self):
        """Column `[R, 1]` with a 1 in the row of this replica."""
        context = tf.distribute.get_replica_context()
        place = 0 if context is None else context.replica_id_in_sync_group
        return ops.expand_dims(ops.one_hot(
            place, self.num_replicas, dtype="float64"), axis=-1)
