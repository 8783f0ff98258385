"""The operations that an edge of a cell may be, for all edges into a node at once.

    zero, identity                                   of either kind
    separable_3x3, dilated_3x3                       of images
    average_pool_3x3, max_pool_3x3
    dense_relu, dense_tanh                           of flat features

The nodes that lead to a node lie side by side in the last axis, `[..., G * C]`, and
an operation treats all G of them in one go, with kernels of its own for each edge.
A depthwise convolution needs nothing for that. A product of channels has the group
axis in its kernel, `[G, C, C]`, and is one product with the matrix that has these
blocks on its diagonal: most of it is zeros, and it is still several times faster
than `einsum`, which moves the axis to the front and back again.

Images come normalised, see `Cell`. A convolution is a scale and a shift, ReLU, a
depthwise and a 1 x 1 convolution, and a BatchNorm without scale and shift; the
separable one has all of that twice. What comes behind the last depthwise convolution
is linear in its outputs y, but for the moments of BatchNorm, which follow from those
of y. So the last product, BatchNorm, the mixing weights and the sum over nodes are
one product, and what would be mixed is never made:

    sum_g alpha_g (y_g W_g - m_g) / s_g = [y_1, ..., y_G] A - c
    A_g = alpha_g W_g / s_g,    m_g = mean(y_g) W_g,    s_g**2 = diag(W_g' cov(y_g) W_g)

Reference: Deng et al., Measuring Uncertainty through Bayesian Learning of Deep
Neural Network Structure, 2019, and its released code.
"""

import functools

import keras
import tensorflow as tf
from keras import ops


class GroupedOperation(keras.layers.Layer):
    """One operation on each of several nodes, whose outputs are mixed.

    A subclass writes `outputs`.

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

    def plain(self, group, moments):
        """The operation on one of the nodes as layers of Keras.

        Args:
            group: Integer, which node.
            moments: Mean and variance that it is normalised by, arrays `[C]`.

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
        eye = tf.eye(outputs.shape[-1] // self.groups, dtype=outputs.dtype)
        weights = tf.cast(weights, outputs.dtype)
        return _product(outputs, weights[:, None, None] * eye)

    def _part(self, values, group):
        """What belongs to one node of arrays with all channels last."""
        width = values.shape[-1] // self.groups
        return ops.convert_to_numpy(values)[..., group * width:(group + 1) * width]

    def _plain_norm(self, norm, group):
        """One node's share of a BatchNorm."""
        layer = keras.layers.BatchNormalization(center=norm.center, scale=norm.scale,
                                                epsilon=norm.epsilon)
        return layer, [self._part(weight, group) for weight in norm.weights]


class GroupedZero(GroupedOperation):
    """No edge at all."""

    silent = True

    def outputs(self, nodes, training=False):
        return ops.zeros_like(nodes)

    def plain(self, group, moments):
        return [(keras.layers.Rescaling(0.0), [])]


class GroupedIdentity(GroupedOperation):
    """Hands the nodes on, as they come."""

    def outputs(self, nodes, training=False):
        return nodes

    def plain(self, group, moments):
        return [] if moments is None else [_normalization(moments)]


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
        kernel = tf.convert_to_tensor(self.kernel)  # [G, C, C]
        places = tf.eye(self.groups, dtype=kernel.dtype)[:, None, :, None]
        outputs = _product(nodes, tf.reshape(
            kernel[:, :, None] * places, (nodes.shape[-1], nodes.shape[-1])))
        if self.use_bias:
            outputs += self.bias
        return self.activation(outputs)

    def plain(self, group, moments):
        layer = keras.layers.Dense(self.kernel.shape[-1], self.activation,
                                   use_bias=self.use_bias)
        kernel = ops.convert_to_numpy(self.kernel)[group]
        return [(layer, [kernel, self._part(self.bias, group)] if self.use_bias
                 else [kernel])]

    def get_config(self):
        return {**super().get_config(), "use_bias": self.use_bias,
                "activation": keras.activations.serialize(self.activation)}


class GroupedSeparableConv(GroupedOperation):
    """ReLU, depthwise 3 x 3, 1 x 1 and BatchNorm, once or several times.

    Args:
        *args: See `GroupedOperation`.
        repeats: Integer, how many times.
        dilation: Integer, of the depthwise convolution.
        **kwargs: See `GroupedOperation`.
    """

    has_kernels = True

    def __init__(self, *args, repeats=2, dilation=1, **kwargs):
        super().__init__(*args, **kwargs)
        self.repeats = repeats
        self.dilation = dilation

    def build(self, input_shape):
        super().build(input_shape)
        shape, _ = input_shape
        self.gamma = self.add_weight(name="gamma", shape=(shape[-1],),
                                     initializer="ones")
        self.shift = self.add_weight(name="shift", shape=(shape[-1],),
                                     initializer="zeros")
        kwargs = dict(dtype=self.dtype_policy)
        self.depthwise = [keras.layers.DepthwiseConv2D(
            3, padding="same", dilation_rate=self.dilation, use_bias=False, **kwargs)
            for _ in range(self.repeats)]
        self.pointwise = [GroupedDense(self.groups, use_bias=False, **kwargs)
                          for _ in range(self.repeats)]
        # The last has no scale: the weights of the structure are what scales.
        self.norms = [keras.layers.BatchNormalization(
            center=place < self.repeats, scale=place < self.repeats, **kwargs)
            for place in range(1, self.repeats + 1)]
        for layer in (*self.depthwise, *self.norms):
            layer.build(shape)
        for layer in self.pointwise:
            layer.build(input_shape)

    def outputs(self, nodes, training=False):
        features = self.pointwise[-1].outputs(self._features(nodes, training))
        return self.norms[-1](features, training=training)

    def mixed(self, nodes, weights, training=False):
        features = self._features(nodes, training)
        kernel = tf.cast(self.pointwise[-1].kernel, tf.float32)
        mean, variance = self._moments(features, kernel, training)  # [G, C]
        scale = tf.cast(weights, tf.float32)[:, None] * tf.math.rsqrt(
            variance + self.norms[-1].epsilon)
        outputs = _product(features, kernel * scale[:, None])
        return outputs - tf.cast(tf.reduce_sum(mean * scale, axis=0), outputs.dtype)

    def plain(self, group, moments):
        affine = [self._part(weight, group) for weight in (self.gamma, self.shift)]
        layers = [_normalization(moments, *affine)]
        for depthwise, pointwise, norm in zip(
                self.depthwise, self.pointwise, self.norms):
            taps = ops.convert_to_numpy(depthwise.kernel)[..., 0]
            mix = ops.convert_to_numpy(pointwise.kernel)[group]
            layers += [
                (keras.layers.ReLU(), []),
                (keras.layers.DepthwiseConv2D(
                    3, padding="same", dilation_rate=self.dilation, use_bias=False),
                 [self._part(taps, group)[..., None]]),
                (keras.layers.Conv2D(mix.shape[-1], 1, use_bias=False),
                 [mix[None, None]]),
                self._plain_norm(norm, group)]
        return layers

    def _features(self, nodes, training):
        """All up to the last depthwise convolution."""
        x = nodes * self.gamma + self.shift
        for place, depthwise in enumerate(self.depthwise):
            if place:
                x = self.norms[place - 1](self.pointwise[place - 1].outputs(x),
                                          training=training)
            x = depthwise(ops.relu(x))
        return x

    def _moments(self, features, kernel, training):
        """Moments of what the last product would give, and moves their averages."""
        norm = self.norms[-1]
        shape = (self.groups, -1)
        if not training:
            return (tf.reshape(norm.moving_mean, shape),
                    tf.reshape(norm.moving_variance, shape))
        rows = tf.cast(tf.reshape(features, (-1, features.shape[-1])), tf.float32)
        count = tf.cast(tf.shape(rows)[0], tf.float32)
        mean = tf.reduce_mean(rows, axis=0)
        squares = tf.matmul(rows, rows, transpose_a=True) / count
        spread = tf.reshape(squares - mean[:, None] * mean,
                            (*shape[:1], kernel.shape[1], *kernel.shape[:2]))
        # Of the matrix of all channels, the blocks of each node with itself.
        places = tf.eye(self.groups)[:, None, :, None]
        spread = tf.reduce_sum(spread * places, axis=2)  # [G, C, C]
        mean = tf.reduce_sum(tf.reshape(mean, (self.groups, -1, 1)) * kernel, axis=1)
        variance = tf.reduce_sum(kernel * tf.matmul(spread, kernel), axis=1)
        variance = tf.maximum(variance, 0.0)  # Rounding may leave less than nothing.
        for average, moment in ((norm.moving_mean, mean),
                                (norm.moving_variance, variance)):
            moment = tf.reshape(moment, [-1])
            average.assign(average * norm.momentum + moment * (1.0 - norm.momentum))
        return mean, variance

    def get_config(self):
        return {**super().get_config(), "repeats": self.repeats,
                "dilation": self.dilation}


class GroupedPool(GroupedOperation):
    """Pools 3 x 3 pixels around each, and normalises.

    Args:
        *args: See `GroupedOperation`.
        kind: `"average"` or `"max"`.
        **kwargs: See `GroupedOperation`.
    """

    def __init__(self, *args, kind="average", **kwargs):
        super().__init__(*args, **kwargs)
        self.kind = kind

    def build(self, input_shape):
        self.pool = self._pool()
        self.norm = keras.layers.BatchNormalization(center=False, scale=False,
                                                    dtype=self.dtype_policy)
        self.norm.build(input_shape[0])

    def outputs(self, nodes, training=False):
        return self.norm(self.pool(nodes), training=training)

    def plain(self, group, moments):
        return [_normalization(moments), (self._pool(), []),
                self._plain_norm(self.norm, group)]

    def _pool(self):
        kind = {"average": keras.layers.AveragePooling2D,
                "max": keras.layers.MaxPooling2D}[self.kind]
        return kind(3, strides=1, padding="same")

    def get_config(self):
        return {**super().get_config(), "kind": self.kind}


def _product(x, matrix):
    """Product of the last axis of a tensor and a matrix, perhaps in blocks."""
    matrix = tf.cast(tf.reshape(matrix, (-1, matrix.shape[-1])), x.dtype)
    # Of two axes: with more, a product is slow and its gradient slower.
    outputs = tf.matmul(tf.reshape(x, (-1, x.shape[-1])), matrix)
    shape = tf.concat([tf.shape(x)[:-1], tf.shape(matrix)[1:]], axis=0)
    return tf.ensure_shape(tf.reshape(outputs, shape),
                           (*x.shape[:-1], matrix.shape[-1]))


def _normalization(moments, *affine):
    """BatchNorm of one node by its moments, with scale and shift if given."""
    layer = keras.layers.BatchNormalization(center=bool(affine), scale=bool(affine))
    return layer, [*affine, *moments]


EITHER = {"zero": GroupedZero, "identity": GroupedIdentity}
IMAGES = {
    "separable_3x3": GroupedSeparableConv,
    "dilated_3x3": functools.partial(GroupedSeparableConv, repeats=1, dilation=2),
    "average_pool_3x3": GroupedPool,
    "max_pool_3x3": functools.partial(GroupedPool, kind="max"),
}
FLAT = {"dense_relu": functools.partial(GroupedDense, activation="relu"),
        "dense_tanh": functools.partial(GroupedDense, activation="tanh")}
OPERATIONS = {**EITHER, **IMAGES, **FLAT}


def check_operations(operations):
    """Returns names of operations as a tuple, at least one and none twice."""
    names = (operations,) if isinstance(operations, str) else tuple(operations)
    unknown = [name for name in names if name not in OPERATIONS]
    if not names or unknown or len(set(names)) < len(names):
        raise ValueError(
            f"Expected at least one of {tuple(OPERATIONS)}, each once. Received: "
            f"operations={operations!r}")
    return names
