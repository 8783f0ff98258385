"""Base class of the operations of a cell on images, which end in a BatchNorm.

The BatchNorm at the end has no scale and no shift. It is linear but for its moments,
and these follow from the moments of the features y before the last 1 x 1 convolution.
So that convolution, the BatchNorm, the mixing weights and the sum over nodes are one
product, and the tensors that would be mixed are never made:

    sum_g alpha_g (y_g W_g - m_g) / s_g = [y_1, ..., y_G] A - c
    A_g = alpha_g W_g / s_g,    m_g = mean(y_g) W_g,    s_g**2 = diag(W_g' cov(y_g) W_g)

Most operations also begin with a BatchNorm of a node. Its moments are the same on all
edges out of the node, so the cell normalises the node once. These operations get
normalised nodes; a convolution adds its own scale and shift.
"""

import tensorflow as tf

from bdlzoo.layers.block_products import blocks, diagonal, product
from bdlzoo.layers.fused_normalization import FusedNormalization, plain_norm
from bdlzoo.layers.grouped_operation import GroupedOperation


class NormalizedOperation(GroupedOperation):
    """Applies an operation to images, with a BatchNorm at the end.

    A subclass writes `features`, the tensor before the last product of channels. It may
    define `kernel`, `[G, C, C]`, the kernel of that product.

    Args:
        groups: Integer, number of nodes side by side in the last axis.
        drop_path: Float, rate at which the operation on a node is left out, for each
            row in training; 0 for operations without kernels.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `dtype`.
    """

    kernel = None

    def build(self, input_shape):
        super().build(input_shape)
        # Without a scale, because the weights of the structure scale the outputs.
        self.norm = self._norm(input_shape[0], affine=False)

    def features(self, nodes, training=False):
        """Features `[..., G * C]` before the last product of channels."""
        raise NotImplementedError

    def outputs(self, nodes, training=False):
        features = self.features(nodes, training)
        if self.kernel is not None:
            features = product(features, diagonal(self.kernel))
        return self.norm(features, training=training)

    def mixed(self, nodes, weights, training=False):
        features = self.features(nodes, training)
        kernel = tf.eye(nodes.shape[-1] // self.groups)[None] if (
            self.kernel is None) else tf.cast(self.kernel, tf.float32)
        mean, variance = self._moments(features, training)  # [G, C]
        scale = tf.cast(weights, tf.float32)[:, None] * tf.math.rsqrt(
            variance + self.norm.epsilon)
        return product(features, kernel * scale[:, None],
                        -tf.reduce_sum(mean * scale, axis=0))

    def plain(self, group, norm=None):
        return [self._plain_part(self.norm, group)]

    def _norm(self, shape, affine):
        norm = FusedNormalization(center=affine, scale=affine, dtype=self.dtype_policy)
        norm.build(shape)
        return norm

    def _plain_part(self, norm, group):
        """The part of a BatchNorm that belongs to one node."""
        return plain_norm(norm, [self._part(w, group) for w in norm.weights])

    def _moments(self, features, training):
        """Moments after the last product, `[G, C]`: of this batch in training."""
        shape = (self.groups, features.shape[-1] // self.groups)
        if not training:
            return (tf.reshape(self.norm.moving_mean, shape),
                    tf.reshape(self.norm.moving_variance, shape))
        rows = tf.cast(tf.reshape(features, (-1, features.shape[-1])), tf.float32)
        if self.kernel is None:
            mean, variance = (tf.reshape(moment, shape)
                              for moment in _mean_and_variance(rows))
        else:
            mean, variance = self._moments_of_products(rows)
        self.norm.move(tf.reshape(mean, [-1]), tf.reshape(variance, [-1]))
        return mean, variance

    def _moments_of_products(self, rows):
        kernel, groups = tf.cast(self.kernel, tf.float32), self.groups
        mean, squares = _second_moments(rows)
        # Only products of channels of the same node are needed.
        spread = (squares - mean[:, None] * mean) * blocks(kernel)
        products = tf.matmul(spread, tf.reshape(kernel, (-1, kernel.shape[-1])))
        variance = tf.reduce_sum(
            kernel * tf.reshape(products, kernel.shape), axis=1)  # [G, C]
        mean = tf.reduce_sum(tf.reshape(mean, (groups, -1, 1)) * kernel, axis=1)
        return mean, tf.maximum(variance, 0.0)  # Rounding may give less than 0.


@tf.custom_gradient
def _mean_and_variance(rows):
    """Mean and variance `[C]` of rows `[N, C]`, with a gradient in few passes."""
    count = tf.cast(tf.shape(rows)[0], tf.float32)
    mean = tf.reduce_mean(rows, axis=0)
    variance = tf.reduce_mean(tf.math.squared_difference(rows, mean), axis=0)

    def gradient(mean_slope, variance_slope):
        slope = 2.0 * variance_slope / count
        return slope * rows + (mean_slope / count - slope * mean)

    return (mean, variance), gradient


@tf.custom_gradient
def _second_moments(rows):
    """Mean `[C]` of rows `[N, C]`, and mean of their products `[C, C]`."""
    count = tf.cast(tf.shape(rows)[0], tf.float32)

    def gradient(mean_slope, slope):
        # The two factors of the product are equal, so one product is enough.
        return tf.matmul(rows, (slope + tf.transpose(slope)) / count) + (
            mean_slope / count)

    return (tf.reduce_mean(rows, axis=0),
            tf.matmul(rows, rows, transpose_a=True) / count), gradient
