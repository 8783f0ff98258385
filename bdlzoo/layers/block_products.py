"""Products with matrices that have blocks on their diagonal.

    [x_1, ..., x_G] diag(W_1, ..., W_G) = [x_1 W_1, ..., x_G W_G]

Most of such a matrix is zeros. One product with it is still several times faster
than `einsum`, which moves the group axis to the front and back again.
"""

import numpy as np
import tensorflow as tf


def blocks(kernel):
    """1 where a matrix has the blocks of a kernel `[G, C, C]` on its diagonal."""
    groups, width, _ = kernel.shape
    return np.kron(np.eye(groups), np.ones((width, width))).astype("float32")


def diagonal(kernel):
    """The matrix with the blocks of a kernel `[G, C, C]` on its diagonal."""
    groups, width, _ = kernel.shape
    rows = tf.reshape(tf.cast(kernel, tf.float32), (groups * width, width))
    return tf.tile(rows, (1, groups)) * blocks(kernel)


def product(x, matrix, bias=None):
    """Product of the last axis of a tensor and a matrix.

    Args:
        x: Tensor `[..., G * C]`.
        matrix: Tensor `[G * C, D]`, or its blocks `[G, C, D]`.
        bias: Tensor `[D]` that is added; `None` adds nothing.

    Returns:
        Tensor `[..., D]`.
    """
    matrix = tf.cast(tf.reshape(matrix, (-1, matrix.shape[-1])), x.dtype)
    # With more than two axes a product is slow, and its gradient slower.
    outputs = tf.matmul(tf.reshape(x, (-1, x.shape[-1])), matrix)
    if bias is not None:  # TensorFlow fuses this with the product.
        outputs = tf.nn.bias_add(outputs, tf.cast(bias, x.dtype))
    shape = tf.concat([tf.shape(x)[:-1], tf.shape(matrix)[1:]], axis=0)
    return tf.ensure_shape(tf.reshape(outputs, shape),
                           (*x.shape[:-1], matrix.shape[-1]))
