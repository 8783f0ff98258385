"""Kernel of the Gaussian process of a network with random weights.

    K(x, x') = W_var mean_s(h_s(x) h_s(x')) / width + b_var

where h_s are the features of random networks of one architecture, up to the last
layer with weights: its weights are N(0, W_var / fan_in), its biases N(0, b_var).
The mean over weights of the last layer is exact. The mean over the other layers is
estimated from `num_networks` random networks, and the width averages as well.
Convolutional features are flattened.

Reference: Lee et al., Deep Neural Networks as Gaussian Processes, ICLR 2018.
"""

import math
import numbers

import keras
import tensorflow as tf
from tensorflow_probability import math as tfm

from bdlzoo.core import noise
from bdlzoo.surgery.encoder import Encoder
from bdlzoo.surgery.stacked_network import StackedNetwork, twin


class PriorKernel:
    """Draws random networks for each key and multiplies their features.

    Not a layer: its networks are drawn, neither trained nor saved.

    Args:
        network: Built functional or Sequential model.
        num_networks: Integer, random networks of one kernel.
        weight_variance: Float, W_var, or a list of one for each layer with
            weights, the last layer's last.
        bias_variance: Float, b_var, or a list; ignored for layers without a bias.
    """

    def __init__(self, network, num_networks=10, weight_variance=1.0,
                 bias_variance=1.0):
        if num_networks < 1:
            raise ValueError("Expected at least one random network. Received: "
                             f"num_networks={num_networks}")
        encoder = Encoder(twin(network))  # Calls would leave traces in the network.
        inputs = keras.tree.map_structure(
            lambda t: keras.Input(t.shape[1:], dtype=t.dtype, name=t.name),
            encoder.functional.input)
        features = encoder(inputs)
        if len(features.shape) > 2:
            features = keras.layers.Flatten()(features)
        with tf.init_scope():
            plain = keras.Model(inputs, features)
            self._stack = StackedNetwork(plain, num_networks)
            self._stack.build(keras.tree.map_shape_structure(
                lambda shape: (1, *shape), plain.input_shape))
        layers = self._stack.stacks
        weight_variance = _of_layers("weight_variance", weight_variance,
                                     len(layers) + 1)
        bias_variance = _of_layers("bias_variance", bias_variance, len(layers) + 1)
        biased = any(_is_bias(w) for w in encoder.last_layer.weights)
        self._last = weight_variance[-1], bias_variance[-1] if biased else 0.0
        self._scales = {
            id(part): _scale(stacked.layer, weight, *variances)
            for stacked, *variances in zip(layers, weight_variance, bias_variance)
            for weight, part in zip(stacked.layer.weights, stacked.parts)}

    def __call__(self, inputs, key):
        """Kernel of the rows of inputs, `[n, n]`; no gradient flows back."""
        features = self.features(inputs, key)
        return tf.matmul(features, features, transpose_b=True) + self.bias

    @property
    def bias(self):
        """Term of the bias of the last layer in all entries."""
        return self._last[1]

    def features(self, inputs, key):
        """Rows whose products, and `bias`, are the kernel, `[n, F]`.

        Args:
            inputs: Structure of tensors `[n, ...]`.
            key: Key of the random networks.
        """
        drawn, kept = ([self._draw(variable, noise.fold_in(key, index))
                        for index, variable in enumerate(variables)]
                       for variables in (self._stack.trainable_variables,
                                         self._stack.non_trainable_variables))
        inputs = tf.nest.map_structure(lambda t: t[None], inputs)
        features, _ = self._stack.stateless_call(drawn, kept, inputs,
                                                 training=False)
        copies, _, width = features.shape
        rows = tf.reshape(tf.transpose(tf.cast(features, tf.float32), [1, 0, 2]),
                          [-1, copies * width])
        return tf.stop_gradient(rows * math.sqrt(
            self._last[0] / (copies * width)))

    def _draw(self, variable, key):
        scale = self._scales[id(variable)]
        if scale is None:
            return variable.value
        return scale * noise.coarse_normal(tuple(variable.shape), key)


class NetworkKernel(tfm.psd_kernels.PositiveSemidefiniteKernel):
    """A `PriorKernel` with one key, as TFP's Gaussian processes take it.

    Args:
        prior: `PriorKernel` of a network with one input.
        key: Key of its random networks.
        feature_ndims: Integer, rank of one input.
    """

    def __init__(self, prior, key, feature_ndims=1, name="network_kernel"):
        parameters = dict(locals())
        super().__init__(feature_ndims, dtype=None, name=name,
                         parameters=parameters)
        self._prior = prior
        self._key = key

    def _batch_shape(self):
        return tf.TensorShape([])

    def _batch_shape_tensor(self):
        return tf.constant([], tf.int32)

    def _apply(self, x1, x2, example_ndims=0):
        product = tf.reduce_sum(self._rows(x1) * self._rows(x2), axis=-1)
        return product + tf.cast(self._prior.bias, product.dtype)

    def _matrix(self, x1, x2):
        product = tf.matmul(self._rows(x1), self._rows(x2), transpose_b=True)
        return product + tf.cast(self._prior.bias, product.dtype)

    def _rows(self, x):
        x = tf.convert_to_tensor(x)
        split = x.shape.rank - self.feature_ndims
        flat = tf.reshape(x, tf.concat([[-1], tf.shape(x)[split:]], axis=0))
        rows = self._prior.features(tf.cast(flat, tf.float32), self._key)
        shape = tf.concat([tf.shape(x)[:split], [rows.shape[-1]]], axis=0)
        return tf.cast(tf.reshape(rows, shape), x.dtype)


def _of_layers(name, value, count):
    values = [value] * count if isinstance(value, numbers.Real) else list(value)
    if len(values) != count:
        raise ValueError(f"Expected one number, or {count}, one for each layer "
                         f"with weights. Received: {name}={value}")
    least = 0.0 if name.startswith("bias") else 1e-12
    if not all(least <= number < math.inf for number in values):
        raise ValueError("Expected variances that are positive, since else the "
                         "kernel is not positive definite. Received: "
                         f"{name}={value}")
    return values


def _is_bias(weight):
    return weight.name.endswith("bias")


def _scale(layer, weight, weight_variance, bias_variance):
    """Standard deviation of a weight; `None` for scales and statistics."""
    if _is_bias(weight):
        return math.sqrt(bias_variance)
    if len(weight.shape) < 2:
        return None
    return math.sqrt(weight_variance / _fan_in(layer, weight))


def _fan_in(layer, weight):
    if isinstance(layer, keras.layers.Embedding):
        return 1  # A row of the table is read, not a sum of all.
    if isinstance(layer, (keras.layers.DepthwiseConv1D,
                          keras.layers.DepthwiseConv2D)):
        return math.prod(weight.shape[:-2])
    return math.prod(weight.shape[:-1])
