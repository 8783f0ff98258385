"""All dense and convolutional layers of a network as uncertain ones.

    slopes of layer l = r' d outputs / d z_l,       z_l = inputs of the layer times W_l

The slopes are those of a number that is added to z_l, so that one pass back gives them
for all layers. A convolution is a product of its kernel and of patches, with one row of
patches for each position.
"""

import contextlib
import functools

import keras
import tensorflow as tf
from absl import logging

from bdlzoo.core import keras_internals
from bdlzoo.families import output_curvature
from bdlzoo.surgery import calls

_MOST_OUTPUTS = 128  # Passes back through the network, side by side in memory.
_KINDS = keras.layers.Dense, keras.layers.Conv1D, keras.layers.Conv2D


class AllLayers:
    """Runs a network and keeps what the curvature of its layers needs.

    Not a layer, so that Keras neither tracks nor saves the layers twice.

    Args:
        network: Built Keras model, adopted by the zoo.
    """

    def __init__(self, network):
        functional = keras_internals.graph(network)
        if functional is None:
            raise ValueError(
                "Expected a functional or Sequential network for layers=\"all\", whose "
                "layers can be called one by one. Received: network "
                f"{network.name}, which is subclassed")
        self.network, self._graph = network, functional
        self._sources, self._calls, [self._result] = calls.walk(functional, unfold=True)
        called = [call.layer for call in self._calls if _fits(call.layer)]
        self.layers = list({id(layer): layer for layer in called}.values())
        if not self.layers or len(self.layers) < len(called):
            raise ValueError(
                "Expected layers of type Dense, Conv1D or Conv2D that are called once, "
                "with weights that are trained: take layers=\"last\". Received: "
                f"network {network.name} with {len(called)} calls of "
                f"{len(self.layers)} such layers")
        points = {v.path for v in network.trainable_variables} - {
            v.path for layer in self.layers for v in layer.trainable_variables}
        if points:
            logging.info("These weights have no posterior and stay as they are: %s.",
                         ", ".join(sorted(points)))

    @property
    def shapes(self):
        """Shape of the weights of each uncertain layer: inputs and outputs."""
        return [tuple(matrix.shape) for matrix in self.matrices()]

    def matrices(self):
        """The trained weights, `[I, O]`, of each uncertain layer."""
        return [tf.concat([tf.reshape(tf.cast(part, tf.float32),
                                      [-1, layer.kernel.shape[-1]])
                           for part in _weights(layer)], axis=0)
                for layer in self.layers]

    def run(self, inputs):
        """Outputs `[B, C]`, then what the other functions need of these inputs."""
        tensors = keras_internals.standardize(self._graph, inputs)
        values, seen = dict(zip(self._sources, tensors)), {}
        with tf.GradientTape(persistent=True) as tape:
            for call in self._calls:
                call.run(values, training=False, layer=functools.partial(
                    self._watched, call.layer, tape, seen)
                    if id(call.layer) in map(id, self.layers) else None)
            outputs = tf.cast(values[self._result], tf.float32)
        if outputs.shape[-1] > _MOST_OUTPUTS:
            raise ValueError(
                f"Expected at most {_MOST_OUTPUTS} outputs for layers=\"all\", which "
                "takes a pass back for each of them: take layers=\"last\". Received: "
                f"{outputs.shape[-1]} outputs")
        return outputs, tape, [seen[id(layer)] for layer in self.layers]

    def sums(self, posteriors, run, d, s, weights):
        """As in `LastLayer`."""
        slopes = self._slopes(run, output_curvature.roots(d, s))
        return [posterior.sums_of_slopes(inputs, slope, weights)
                for posterior, (inputs, _), slope in zip(posteriors, run[2], slopes)]

    def moving(self, run, inputs, linear=True):
        """As in `LastLayer`; `linear=False` runs the network with the weights."""
        del run
        uncertain = [v for layer in self.layers for v in _weights(layer)]
        # Read outside of a loop over draws, as all of `drawing`.
        points = [tf.identity(variable.value) for variable in uncertain]
        chosen = {id(variable) for variable in uncertain}
        others = [(v, tf.identity(v.value)) for v in self.network.variables
                  if id(v) not in chosen]

        def outputs(weights):
            mapping = [*zip(uncertain, weights), *others]
            with keras.StatelessScope(state_mapping=mapping):
                return tf.cast(self.network(inputs, training=False), tf.float32)

        def moved(deviations):
            parts = [part for layer, deviation in zip(self.layers, deviations)
                     for part in _parts(layer, deviation)]
            steps = [tf.cast(tf.reshape(part, point.shape), point.dtype)
                     for part, point in zip(parts, points)]
            if not linear:
                return outputs([point + step for point, step in zip(points, steps)])
            with tf.autodiff.ForwardAccumulator(points, steps) as forward:
                found = outputs(points)
            return found + forward.jvp(found)

        return moved

    def moments(self, posteriors, run):
        """As in `LastLayer`."""
        outputs = run[0]
        rows, classes = tf.shape(outputs)[0], outputs.shape[-1]
        each = tf.tile(tf.eye(classes)[:, None], [1, rows, 1])  # [C, B, C]
        variance = with_sum = 0.0
        for posterior, (inputs, _), slope in zip(
                posteriors, run[2], self._slopes(run, each)):
            spread = tf.map_fn(lambda part, posterior=posterior: posterior.spread(
                tf.einsum("ti,cto->cio", *part)), (inputs, tf.transpose(
                    slope, [1, 0, 2, 3])), fn_output_signature=tf.float32)
            variance += tf.reduce_sum(spread**2, axis=[2, 3])
            with_sum += tf.reduce_sum(
                spread * tf.reduce_sum(spread, axis=1, keepdims=True), axis=[2, 3])
        return variance, with_sum

    def _slopes(self, run, directions):
        """Slopes `[K, B, T, O]` of each layer, for `[K, B, C]` in the outputs."""
        outputs, tape, seen = run
        added = [tap for _, tap in seen]
        found = tf.vectorized_map(lambda direction: tape.gradient(
            outputs, added, direction, unconnected_gradients="zero"), directions,
            warn=False)
        return [tf.reshape(tf.cast(slope, tf.float32), [
            tf.shape(slope)[0], tf.shape(slope)[1], -1, slope.shape[-1]])
            for slope in found]

    def _watched(self, layer, tape, seen, inputs, **kwargs):
        """Calls a layer; keeps its inputs, and what is added before its activation."""
        with _without_activation(layer):
            plain = layer(inputs, **kwargs)
        added = tf.zeros_like(plain)
        tape.watch(added)
        rows = tf.cast(_patches(layer, inputs), tf.float32)  # [B, T, I]
        if layer.use_bias:
            rows = tf.pad(rows, [[0, 0], [0, 0], [0, 1]], constant_values=1.0)
        seen[id(layer)] = rows, added
        return layer.activation(plain + added)


def _fits(layer):
    """Whether the weights of a layer get a posterior."""
    return (type(layer) in _KINDS and layer.trainable
            and getattr(layer, "groups", 1) == 1
            and getattr(layer, "padding", "valid") != "causal"
            and getattr(layer, "data_format", "channels_last") == "channels_last")


def _weights(layer):
    return [layer.kernel, *([layer.bias] if layer.use_bias else [])]


def _parts(layer, matrix):
    return [matrix[:-1], matrix[-1]] if layer.use_bias else [matrix]


def _patches(layer, inputs):
    """Inputs of a layer as rows of the product with its kernel: `[B, T, I]`."""
    if isinstance(layer, keras.layers.Dense):
        return tf.reshape(inputs, [tf.shape(inputs)[0], -1, inputs.shape[-1]])
    sizes, strides, rates = (tuple(part) for part in (
        layer.kernel_size, layer.strides, layer.dilation_rate))
    if len(sizes) == 1:
        inputs = inputs[:, None]
        sizes, strides, rates = ((1, *part) for part in (sizes, strides, rates))
    patches = tf.image.extract_patches(
        inputs, (1, *sizes, 1), (1, *strides, 1), (1, *rates, 1),
        layer.padding.upper())
    return tf.reshape(patches, [tf.shape(inputs)[0], -1, patches.shape[-1]])


@contextlib.contextmanager
def _without_activation(layer):
    activation, layer.activation = layer.activation, keras.activations.linear
    try:
        yield
    finally:
        layer.activation = activation
