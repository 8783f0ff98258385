"""Normal distribution of functions, with the covariance of a few members.

    q = N(mean, F F^T + e I),    F = (outputs - mean)^T / sqrt(M)    [n C, M]
    p = N(0, I_C (x) K)                                              K [n, n]

    KL(q || p) = (tr(P^-1 S) + mean^T P^-1 mean - n C + log|P| - log|S|) / 2
    log|S|     = (n C - M) log e + log|e I_M + F^T F|

for the outputs `[M, n, C]` of M members at n points. Outputs of one class are adjacent,
as in the Kronecker product. So one Cholesky factor `[n, n]` serves all classes, and no
matrix of n C by n C is made. The algebra is in float64, because K loses half of the
digits; compared with the networks it is cheap.

F has a rank below M, and -log|S| is infinite if e is 0. So e is a share of the variance
of the members, and at least `FLOOR`. That share has no gradient; otherwise the loss
could lower e together with the variance.

Reference: Deng et al., Deep Ensemble as a Gaussian Process Approximate Posterior,
2022.
"""

import contextlib
import math
import typing

import tensorflow as tf

FLOOR = 1e-6  # Smallest jitter, for members that agree and kernels of zeros.
_NOT_POSITIVE = (
    "Expected a kernel that is positive definite: raise `jitter`, or look for inputs "
    "and prior variances that are not finite")


class LowRankNormal(typing.NamedTuple):
    """Normal distribution of functions at n points, with C outputs each."""

    mean: tf.Tensor  # [n, C]
    factor: tf.Tensor  # [M, n, C]
    jitter: tf.Tensor  # The e of the formula: one number, or `[n, 1]`.

    def draws(self, member_noise, point_noise):
        """Draws functions at the points.

        Args:
            member_noise: Standard normal numbers `[S, M]`.
            point_noise: Standard normal numbers `[S, n, C]`, or `[S, 1, C]` for
                coherent draws, with the same noise at all points.

        Returns:
            Tensor `[S, n, C]`.
        """
        moved = tf.einsum("sm,mnc->snc", member_noise, self.factor)
        return self.mean + moved + tf.sqrt(self.jitter) * point_noise

    def kl(self, kernel):
        """KL divergence from `N(0, I_C (x) kernel)`, with one jitter for all points.

        Args:
            kernel: Tensor `[n, n]`.

        Returns:
            Scalar tensor, in nats.
        """
        mean, factor, jitter = (tf.cast(part, tf.float64) for part in self)
        members, points, outputs = tf.unstack(tf.shape(factor))
        size, members = (tf.cast(count, tf.float64)
                         for count in (points * outputs, members))
        lower = cholesky(kernel)  # [n, n]
        columns = tf.concat([factor, mean[None]], axis=0)  # [M + 1, n, C]
        columns = tf.reshape(tf.transpose(columns, [1, 0, 2]), [points, -1])
        whitened = tf.linalg.triangular_solve(lower, columns)
        inverse = tf.linalg.triangular_solve(
            lower, tf.eye(points, dtype=tf.float64))
        classes = tf.cast(outputs, tf.float64)
        # tr(P^-1 F F^T) and the term of the mean are one sum of squares.
        quadratic = tf.reduce_sum(whitened**2)
        trace = jitter * classes * tf.reduce_sum(inverse**2)
        flat = tf.reshape(factor, [tf.shape(factor)[0], -1])  # [M, n C]
        gram = tf.matmul(flat, flat, transpose_b=True)
        small = cholesky(gram + jitter * tf.eye(tf.shape(gram)[0],
                                                dtype=tf.float64))
        log_q = (size - members) * tf.math.log(jitter) + _log_det(small)
        log_p = classes * _log_det(lower)
        kl = 0.5 * (quadratic + trace - size + log_p - log_q)
        return tf.cast(kl, self.mean.dtype)


def of_members(outputs, jitter, by_row=False):
    """Makes the normal distribution with the moments of members.

    Args:
        outputs: Tensor `[M, n, C]`.
        jitter: Float, share of the variance of the members that is added.
        by_row: Bool, whether it is a share of the variance at each point, so that a
            point does not depend on others. Otherwise it is a share of the mean
            variance.

    Returns:
        `LowRankNormal`.
    """
    mean = tf.reduce_mean(outputs, axis=0)
    gaps = outputs - mean
    if by_row:
        variance = tf.reduce_mean(gaps**2, axis=[0, 2])[:, None]  # [n, 1]
    else:
        variance = tf.reduce_mean(gaps**2)
    jitter = tf.stop_gradient(tf.maximum(jitter * variance, FLOOR))
    return LowRankNormal(mean, gaps / math.sqrt(outputs.shape[0]), jitter)


def with_jitter(kernel, jitter):
    """Adds a share of the mean variance to the diagonal of a kernel."""
    share = jitter * tf.reduce_mean(tf.linalg.diag_part(kernel))
    return kernel + tf.maximum(share, FLOOR) * tf.eye(
        tf.shape(kernel)[0], dtype=kernel.dtype)


def cholesky(kernel):
    """Lower Cholesky factor in float64; raises if there is none, except under XLA."""
    lower = tf.linalg.cholesky(tf.cast(kernel, tf.float64))
    # TensorFlow returns NaN without an error if there is no factor.
    with explained():
        checked = tf.debugging.check_numerics(
            tf.linalg.diag_part(lower), _NOT_POSITIVE)
    return tf.linalg.set_diag(lower, checked)


@contextlib.contextmanager
def explained():
    """Turns the error of TensorFlow about a kernel into a `ValueError`."""
    try:
        yield
    except tf.errors.InvalidArgumentError as error:
        if _NOT_POSITIVE not in str(error):
            raise
        raise ValueError(f"{_NOT_POSITIVE}. Received: one that has no Cholesky "
                         "factor") from error


def _log_det(lower):
    return 2.0 * tf.reduce_sum(tf.math.log(tf.linalg.diag_part(lower)))
