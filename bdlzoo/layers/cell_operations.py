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
separable one has all of that twice.

Reference: Deng et al., Measuring Uncertainty through Bayesian Learning of Deep
Neural Network Structure, 2019, and its released code.
"""

import functools

import keras
import tensorflow as tf
from keras import ops


class GroupedOperation(keras.layers.Layer):
    """One operation on each of several nodes.

    Args:
        groups: Integer, nodes side by side in the last axis of the inputs.
        **kwargs: See `keras.layers.Layer`.
    """

    silent = False  # Whether nothing comes out of it.
    weighed = False  # Whether it has kernels: drop-path drops these only.

    def __init__(self, groups, **kwargs):
        super().__init__(**kwargs)
        self.groups = groups

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
        return input_shape

    def get_config(self):
        return {**super().get_config(), "groups": self.groups}

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

    def call(self, inputs):
        return ops.zeros_like(inputs)

    def plain(self, group, moments):
        return [(keras.layers.Rescaling(0.0), [])]


class GroupedIdentity(GroupedOperation):
    """Hands the nodes on, as they come."""

    def call(self, inputs):
        return inputs

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

    weighed = True

    def __init__(self, *args, activation=None, use_bias=True, **kwargs):
        super().__init__(*args, **kwargs)
        self.activation = keras.activations.get(activation)
        self.use_bias = use_bias

    def build(self, input_shape):
        width = input_shape[-1] // self.groups
        # Glorot's, of one node: Keras takes the groups for positions of a filter.
        start = keras.initializers.VarianceScaling(
            float(self.groups), mode="fan_avg", distribution="uniform")
        self.kernel = self.add_weight(
            name="kernel", shape=(self.groups, width, width), initializer=start)
        if self.use_bias:
            self.bias = self.add_weight(name="bias", shape=(input_shape[-1],),
                                        initializer="zeros")

    def call(self, inputs):
        channels = inputs.shape[-1]
        kernel = tf.convert_to_tensor(self.kernel)  # [G, C, C]
        places = tf.eye(self.groups, dtype=kernel.dtype)[:, None, :, None]
        diagonal = tf.reshape(kernel[:, :, None] * places, (channels, channels))
        # Of two axes: with more, the product is slow and its gradient slower.
        outputs = tf.matmul(tf.reshape(inputs, (-1, channels)), diagonal)
        if self.use_bias:
            outputs += self.bias
        return tf.reshape(self.activation(outputs), tf.shape(inputs))

    def plain(self, group, moments):
        layer = keras.layers.Dense(self.kernel.shape[-1], self.activation,
                                   use_bias=self.use_bias)
        return [(layer, self.plain_weights(group))]

    def plain_weights(self, group):
        """Kernel, and bias where there is one, of one node."""
        kernel = ops.convert_to_numpy(self.kernel)[group]
        return [kernel, self._part(self.bias, group)] if self.use_bias else [kernel]

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

    weighed = True

    def __init__(self, *args, repeats=2, dilation=1, **kwargs):
        super().__init__(*args, **kwargs)
        self.repeats = repeats
        self.dilation = dilation

    def build(self, input_shape):
        channels = input_shape[-1]
        self.gamma = self.add_weight(name="gamma", shape=(channels,),
                                     initializer="ones")
        self.shift = self.add_weight(name="shift", shape=(channels,),
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
        for layer in (*self.depthwise, *self.pointwise, *self.norms):
            layer.build(input_shape)

    def call(self, inputs, training=False):
        x = inputs * self.gamma + self.shift
        for depthwise, pointwise, norm in zip(
                self.depthwise, self.pointwise, self.norms):
            x = norm(pointwise(depthwise(ops.relu(x))), training=training)
        return x

    def plain(self, group, moments):
        affine = [self._part(weight, group) for weight in (self.gamma, self.shift)]
        layers = [_normalization(moments, *affine)]
        for depthwise, pointwise, norm in zip(
                self.depthwise, self.pointwise, self.norms):
            kernel = ops.convert_to_numpy(depthwise.kernel)[..., 0]
            [mix] = pointwise.plain_weights(group)
            layers += [
                (keras.layers.ReLU(), []),
                (keras.layers.DepthwiseConv2D(
                    3, padding="same", dilation_rate=self.dilation, use_bias=False),
                 [self._part(kernel, group)[..., None]]),
                (keras.layers.Conv2D(mix.shape[-1], 1, use_bias=False),
                 [mix[None, None]]),
                self._plain_norm(norm, group)]
        return layers

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
        self.norm.build(input_shape)

    def call(self, inputs, training=False):
        return self.norm(self.pool(inputs), training=training)

    def plain(self, group, moments):
        return [_normalization(moments), (self._pool(), []),
                self._plain_norm(self.norm, group)]

    def _pool(self):
        kind = {"average": keras.layers.AveragePooling2D,
                "max": keras.layers.MaxPooling2D}[self.kind]
        return kind(3, strides=1, padding="same")

    def get_config(self):
        return {**super().get_config(), "kind": self.kind}


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
