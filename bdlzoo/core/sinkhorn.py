"""Optimal transport between two batches, with an entropy term.

    plan = argmin over P of sum P C - regularizer H(P),   P 1 = 1/m,  P' 1 = 1/n
    P_ij = exp(f_i + g_j - C_ij / regularizer)

f and g are updated in turn; each update makes one of the two marginals exact, the last
one that of the columns. The computation uses logarithms, because `exp(-C /
regularizer)` may be below the smallest float.

Reference: Cuturi, Sinkhorn Distances, NeurIPS 2013.
"""

import math

import tensorflow as tf


def plan(cost, regularizer=0.01, num_steps=100, tolerance=0.1):
    """Computes the transport plan, without a gradient.

    Args:
        cost: Tensor `[m, n]`.
        regularizer: Float, weight of the entropy, in units of the cost.
        num_steps: Integer, largest number of iterations.
        tolerance: Float, total change of f in units of the cost below which the
            iterations stop.

    Returns:
        Tensor `[m, n]`.
    """
    scaled = tf.stop_gradient(cost) / regularizer
    rows, columns = (tf.math.log(tf.cast(size, scaled.dtype))
                     for size in tf.unstack(tf.shape(scaled)))

    def turn(count, f, g, change):
        del change
        new = -rows - tf.reduce_logsumexp(g[None, :] - scaled, axis=1)
        g = -columns - tf.reduce_logsumexp(new[:, None] - scaled, axis=0)
        return count + 1, new, g, regularizer * tf.reduce_sum(tf.abs(new - f))

    _, f, g, _ = tf.while_loop(
        lambda count, f, g, change: (count < num_steps) & (change > tolerance), turn,
        (0, tf.zeros_like(scaled[:, 0]), tf.zeros_like(scaled[0]),
         tf.constant(math.inf, scaled.dtype)), parallel_iterations=1)
    return tf.exp(f[:, None] + g[None, :] - scaled)
