"""The operations that an edge of a cell may be, for all edges into a node at once.

    zero, identity, dense_relu, dense_tanh           of flat features
    zero, identity, separable_3x3, dilated_3x3,      of images
    average_pool_3x3, max_pool_3x3

The nodes that lead to a node lie side by side in the last axis, `[..., G * C]`, and
an operation treats all G of them in one go, with kernels of its own for each edge.
A depthwise convolution needs nothing for that. A product of channels has the group
axis in its kernel, `[G, C, C]`, and is one product with the matrix that has these
blocks on its diagonal: most of it is zeros, and it is still several times faster
than `einsum`, which moves the axis to the front and back again.

A convolution is BatchNorm, ReLU, a depthwise and a 1 x 1 convolution; the separable
one has that twice. All operations on images, identity too, end in a BatchNorm without
scale and shift. So most of them begin with a BatchNorm of a node, and identity is one.
It has the same moments on all edges out of the node, and is done once, by the cell:
these operations get normalised nodes, and leave to a convolution a scale and a shift.

The BatchNorm at the end is linear but for its moments, and these follow from the
moments of what stands before the last 1 x 1 convolution, y. So that convolution,
BatchNorm, the mixing weights and the sum over nodes are one product, and what would be
mixed is never made:

    sum_g alpha_g (y_g W_g - m_g) / s_g = [y_1, ..., y_G] A - c
    A_g = alpha_g W_g / s_g,    m_g = mean(y_g) W_g,    s_g**2 = diag(W_g' cov(y_g) W_g)

Reference: Deng et al., Measuring Uncertainty through Bayesian Learning of Deep
Neural Network Structure, 2019, and its released code.
"""

import functools

import keras
import numpy as np
import tensorflow as tf
from keras import ops

from bdlzoo.layers.fused_normalization import FusedNormalization


class GroupedOperation(keras.layers.Layer):
    """One operation on each of several nodes, whose outputs are mixed.

    A subclass writes `outputs`, and `plain`.

    Args:
        groups: Integer, nodes side by side in the last axis.
        drop_path: Float, rate at which a draw leaves out the operation on a node,
            for each row in training; only of operations with kernels.
        **kwargs: See `keras.layers.Layer`.

    Call arguments:
        inputs: Pair of tensors: nodes `[..., G * C]`, and their weights `[G]`.

    Returns:
        Tensor `[..., C]`, the weighted sum over nodes.
    """

    silent = False  # Whether nothing comes out of it.
    raw = False  # Whether it takes images as they are, and not normalised.
    has_kernels = False

    def __init__(self, groups, drop_path=0.0, **kwargs):
        super().__init__(**kwargs)
        self.groups = groups
        self.drop_path = drop_path if self.has_kernels else 0.0

    def build(self, input_shape):
        """Makes the weights, by the shapes of nodes and weights."""
        shape, _ = input_shape
        if self.drop_path:
            self.drop = keras.layers.Dropout(self.drop_path, noise_shape=(
                None, *[1] * (len(shape) - 2), self.groups, 1))

    def outputs(self, nodes, training=False):
        """What becomes of the nodes, `[..., G * C]`, before it is mixed."""
        raise NotImplementedError

    def mixed(self, nodes, weights, training=False):
        """The weighted sum of `outputs`; overridden where there is a short cut."""
        return self._sum(self.outputs(nodes, training), weights)

    def call(self, inputs, training=False):
        nodes, weights = inputs
        if not self.drop_path:
            return self.mixed(nodes, weights, training)
        shape = tf.shape(nodes)
        edges = tf.reshape(self.outputs(nodes, training), tf.concat(
            [shape[:-1], [self.groups, shape[-1] // self.groups]], axis=0))
        dropped = self.drop(edges, training=training)
        return self._sum(tf.reshape(dropped, shape), weights)

    def plain(self, group, norm=None):
        """The operation on one of the nodes as layers of Keras.

        Args:
            group: Integer, which node.
            norm: `FusedNormalization` that has normalised the node, of images: what
                comes out takes the node as it is.

        Returns:
            List of pairs, a layer and its weights, to be called in turn.
        """
        raise NotImplementedError

    def compute_output_shape(self, input_shape):
        shape, _ = input_shape
        return (*shape[:-1], shape[-1] // self.groups)

    def get_config(self):
        return {**super().get_config(), "groups": self.groups,
                "drop_path": self.drop_path}

    def _sum(self, outputs, weights):
        eye = tf.eye(outputs.shape[-1] // self.groups)
        return _product(outputs, _float32(weights)[:, None, None] * eye)

    def _part(self, values, group):
        """What belongs to one node of arrays with all channels last."""
        width = values.shape[-1] // self.groups
        return ops.convert_to_numpy(values)[..., group * width:(group + 1) * width]


class GroupedZero(GroupedOperation):
    """No edge at all."""

    silent = True

    def outputs(self, nodes, training=False):
        return ops.zeros_like(nodes)

    def plain(self, group, norm=None):
        return [(keras.layers.Rescaling(0.0), [])]


class GroupedIdentity(GroupedOperation):
    """Hands the nodes on, as they come."""

    def outputs(self, nodes, training=False):
        return nodes

    def plain(self, group, norm=None):
        return [] if norm is None else [_plain_norm(norm, norm.get_weights())]


class GroupedDense(GroupedOperation):
    """A dense layer for each node, on the last axis.

    Args:
        *args: See `GroupedOperation`.
        activation: Name or callable.
        use_bias: Bool.
        **kwargs: See `GroupedOperation`.
    """

    has_kernels = True

    def __init__(self, *args, activation=None, use_bias=True, **kwargs):
        super().__init__(*args, **kwargs)
        self.activation = keras.activations.get(activation)
        self.use_bias = use_bias

    def build(self, input_shape):
        super().build(input_shape)
        channels = input_shape[0][-1]
        width = channels // self.groups
        # Glorot's, of one node: Keras takes the groups for positions of a filter.
        start = keras.initializers.VarianceScaling(
            float(self.groups), mode="fan_avg", distribution="uniform")
        self.kernel = self.add_weight(
            name="kernel", shape=(self.groups, width, width), initializer=start)
        if self.use_bias:
            self.bias = self.add_weight(name="bias", shape=(channels,),
                                        initializer="zeros")

    def outputs(self, nodes, training=False):
        outputs = _product(nodes, _diagonal(self.kernel))
        if self.use_bias:
            outputs += self.bias
        return self.activation(outputs)

    def plain(self, group, norm=None):
        kernel = ops.convert_to_numpy(self.kernel)[group]
        layer = keras.layers.Dense(kernel.shape[-1], self.activation,
                                   use_bias=self.use_bias)
        return [(layer, [kernel, self._part(self.bias, group)] if self.use_bias
                 else [kernel])]

    def get_config(self):
        return {**super().get_config(), "use_bias": self.use_bias,
                "activation": keras.activations.serialize(self.activation)}


class NormalizedOperation(GroupedOperation):
    """An operation on images with a BatchNorm at its end.

    A subclass writes `features`, what stands before the last product of channels, and
    may give that product its `kernel`, `[G, C, C]`.
    """

    kernel = None

    def build(self, input_shape):
        super().build(input_shape)
        # Without a scale: the weights of the structure are what scales.
        self.norm = self._norm(input_shape[0], affine=False)

    def features(self, nodes, training=False):
        """What is normalised, but for the last product of channels."""
        raise NotImplementedError

    def outputs(self, nodes, training=False):
        features = self.features(nodes, training)
        if self.kernel is not None:
            features = _product(features, _diagonal(self.kernel))
        return self.norm(features, training=training)

    def mixed(self, nodes, weights, training=False):
        features = self.features(nodes, training)
        kernel = tf.eye(nodes.shape[-1] // self.groups)[None] if (
            self.kernel is None) else _float32(self.kernel)
        mean, variance = self._moments(features, training)  # [G, C]
        scale = _float32(weights)[:, None] * tf.math.rsqrt(
            variance + self.norm.epsilon)
        return _product(features, kernel * scale[:, None],
                        -tf.reduce_sum(mean * scale, axis=0))

    def plain(self, group, norm=None):
        return [self._plain_part(self.norm, group)]

    def _norm(self, shape, affine):
        norm = FusedNormalization(center=affine, scale=affine, dtype=self.dtype_policy)
        norm.build(shape)
        return norm

    def _plain_part(self, norm, group):
        """One node's share of a BatchNorm."""
        return _plain_norm(norm, [self._part(w, group) for w in norm.weights])

    def _moments(self, features, training):
        """Moments behind the last product, `[G, C]`; in training, of this batch."""
        shape = (self.groups, features.shape[-1] // self.groups)
        if not training:
            return (tf.reshape(self.norm.moving_mean, shape),
                    tf.reshape(self.norm.moving_variance, shape))
        rows = _float32(tf.reshape(features, (-1, features.shape[-1])))
        if self.kernel is None:
            mean, variance = (tf.reshape(moment, shape) for moment in _moments(rows))
        else:
            mean, variance = self._moments_of_products(rows)
        self.norm.move(tf.reshape(mean, [-1]), tf.reshape(variance, [-1]))
        return mean, variance

    def _moments_of_products(self, rows):
        kernel, groups = _float32(self.kernel), self.groups
        mean, squares = _second_moments(rows)
        # Of the products of all channels, those of each node with itself.
        spread = (squares - mean[:, None] * mean) * _blocks(kernel)
        products = tf.matmul(spread, tf.reshape(kernel, (-1, kernel.shape[-1])))
        variance = tf.reduce_sum(
            kernel * tf.reshape(products, kernel.shape), axis=1)  # [G, C]
        mean = tf.reduce_sum(tf.reshape(mean, (groups, -1, 1)) * kernel, axis=1)
        return mean, tf.maximum(variance, 0.0)  # Rounding may leave less than 0.


class GroupedSeparableConv(NormalizedOperation):
    """BatchNorm, ReLU, depthwise 3 x 3 and 1 x 1, once or several times.

    Args:
        *args: See `NormalizedOperation`.
        repeats: Integer, how many times.
        dilation: Integer, of the depthwise convolution.
        **kwargs: See `NormalizedOperation`.
    """

    has_kernels = True

    def __init__(self, *args, repeats=2, dilation=1, **kwargs):
        super().__init__(*args, **kwargs)
        self.repeats = repeats
        self.dilation = dilation

    def build(self, input_shape):
        super().build(input_shape)
        shape, _ = input_shape
        kwargs = dict(dtype=self.dtype_policy)
        # What is left of the first BatchNorm.
        self.gamma = self.add_weight(name="gamma", shape=(shape[-1],),
                                     initializer="ones")
        self.beta = self.add_weight(name="beta", shape=(shape[-1],),
                                    initializer="zeros")
        self.norms = [self._norm(shape, affine=True) for _ in range(self.repeats - 1)]
        self.depthwise = [self._depthwise(**kwargs) for _ in range(self.repeats)]
        self.pointwise = [GroupedDense(self.groups, use_bias=False, **kwargs)
                          for _ in range(self.repeats)]
        for layer in self.depthwise:
            layer.build(shape)
        for layer in self.pointwise:
            layer.build(input_shape)

    @property
    def kernel(self):
        return self.pointwise[-1].kernel

    def features(self, nodes, training=False):
        nodes = _scaled(nodes, self.gamma, self.beta)
        for place, depthwise in enumerate(self.depthwise):
            if place:
                nodes = self.pointwise[place - 1].outputs(nodes)
                nodes = self.norms[place - 1](nodes, training=training)
            nodes = _depthwise(tf.nn.relu(nodes), depthwise.kernel, self.dilation)
        return nodes

    def plain(self, group, norm=None):
        first = keras.layers.BatchNormalization(epsilon=norm.epsilon)
        norms = [(first, [self._part(self.gamma, group), self._part(self.beta, group),
                          *norm.get_weights()]),
                 *(self._plain_part(later, group) for later in self.norms)]
        layers = []
        for start, depthwise, pointwise in zip(
                norms, self.depthwise, self.pointwise):
            taps = ops.convert_to_numpy(depthwise.kernel)[..., 0]
            mix = ops.convert_to_numpy(pointwise.kernel)[group]
            layers += [
                start, (keras.layers.ReLU(), []),
                (self._depthwise(), [self._part(taps, group)[..., None]]),
                (keras.layers.Conv2D(mix.shape[-1], 1, use_bias=False),
                 [mix[None, None]])]
        return [*layers, *super().plain(group)]

    def _depthwise(self, **kwargs):
        return keras.layers.DepthwiseConv2D(
            3, padding="same", dilation_rate=self.dilation, use_bias=False, **kwargs)

    def get_config(self):
        return {**super().get_config(), "repeats": self.repeats,
                "dilation": self.dilation}


class GroupedPool(NormalizedOperation):
    """Pools 3 x 3 pixels around each, and normalises.

    Args:
        *args: See `NormalizedOperation`.
        kind: `"average"` or `"max"`.
        **kwargs: See `NormalizedOperation`.
    """

    raw = True  # Its zeros around the image are those of what it is given.

    def __init__(self, *args, kind="average", **kwargs):
        super().__init__(*args, **kwargs)
        self.kind = kind
        self.pool = self._pool()

    def features(self, nodes, training=False):
        return self.pool(nodes)

    def plain(self, group, norm=None):
        return [(self._pool(), []), *super().plain(group)]

    def _pool(self):
        kind = {"average": keras.layers.AveragePooling2D,
                "max": keras.layers.MaxPooling2D}[self.kind]
        return kind(3, strides=1, padding="same")

    def get_config(self):
        return {**super().get_config(), "kind": self.kind}


@tf.custom_gradient
def _moments(rows):
    """Mean and variance `[C]` of rows `[N, C]`; few passes backwards too."""
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
        # One product, where two factors would have one each.
        return tf.matmul(rows, (slope + tf.transpose(slope)) / count) + (
            mean_slope / count)

    return (tf.reduce_mean(rows, axis=0),
            tf.matmul(rows, rows, transpose_a=True) / count), gradient


def _scaled(x, scale, shift):
    """Images with a scale and a shift for each channel.

    By the kernel of BatchNorm with moments 0 and 1, for its gradients: all three in
    one go.
    """
    channels = x.shape[-1]
    return tf.raw_ops.FusedBatchNormV3(
        x=x, scale=_float32(scale), offset=_float32(shift), mean=tf.zeros([channels]),
        variance=tf.ones([channels]), epsilon=0.0, is_training=False)[0]


def _depthwise(x, kernel, dilation):
    """Depthwise convolution of stride 1 that keeps the size.

    Dilated, every `dilation`-th row and column is an image by itself, with zeros
    around it as it needs them. TensorFlow gives it those of the whole image, twice as
    many pixels of a small one.
    """
    kernel = tf.cast(kernel, x.dtype)
    if dilation == 1:
        return tf.nn.depthwise_conv2d(x, kernel, [1] * 4, "SAME")
    # What is missing to whole images behind the last row and column.
    missing = tf.stack([[0, 0], -tf.shape(x)[1:3] % dilation], axis=1)
    images = tf.space_to_batch(x, [dilation] * 2, missing)
    outputs = tf.batch_to_space(
        tf.nn.depthwise_conv2d(images, kernel, [1] * 4, "SAME"), [dilation] * 2,
        missing)
    return tf.ensure_shape(outputs, x.shape)


def _plain_norm(norm, weights):
    layer = keras.layers.BatchNormalization(center=norm.center, scale=norm.scale,
                                            epsilon=norm.epsilon)
    return layer, weights


def _float32(tensor):
    return tf.cast(tensor, tf.float32)


def _blocks(kernel):
    """1 where a matrix has the blocks of a kernel `[G, C, C]` on its diagonal."""
    groups, width, _ = kernel.shape
    return np.kron(np.eye(groups), np.ones((width, width))).astype("float32")


def _diagonal(kernel):
    """The matrix with the blocks of a kernel `[G, C, C]` on its diagonal."""
    groups, width, _ = kernel.shape
    rows = tf.reshape(_float32(kernel), (groups * width, width))
    return tf.tile(rows, (1, groups)) * _blocks(kernel)


def _product(x, matrix, bias=None):
    """Product of the last axis of a tensor and a matrix, perhaps in blocks."""
    matrix = tf.cast(tf.reshape(matrix, (-1, matrix.shape[-1])), x.dtype)
    # Of two axes: with more, a product is slow and its gradient slower.
    outputs = tf.matmul(tf.reshape(x, (-1, x.shape[-1])), matrix)
    if bias is not None:  # Here TensorFlow makes it one kernel with the product.
        outputs = tf.nn.bias_add(outputs, tf.cast(bias, x.dtype))
    shape = tf.concat([tf.shape(x)[:-1], tf.shape(matrix)[1:]], axis=0)
    return tf.ensure_shape(tf.reshape(outputs, shape),
                           (*x.shape[:-1], matrix.shape[-1]))


FLAT = {"zero": GroupedZero, "identity": GroupedIdentity,
        "dense_relu": functools.partial(GroupedDense, activation="relu"),
        "dense_tanh": functools.partial(GroupedDense, activation="tanh")}
IMAGES = {
    "zero": GroupedZero,
    "identity": GroupedIdentity,
    "separable_3x3": GroupedSeparableConv,
    "dilated_3x3": functools.partial(GroupedSeparableConv, repeats=1, dilation=2),
    "average_pool_3x3": GroupedPool,
    "max_pool_3x3": functools.partial(GroupedPool, kind="max"),
}
_NAMES = tuple({**FLAT, **IMAGES})


def check_operations(operations):
    """Returns names of operations as a tuple, at least one and none twice."""
    names = (operations,) if isinstance(operations, str) else tuple(operations)
    unknown = [name for name in names if name not in _NAMES]
    if not names or unknown or len(set(names)) < len(names):
        raise ValueError(f"Expected at least one of {_NAMES}, each once. Received: "
                         f"operations={operations!r}")
    return names
