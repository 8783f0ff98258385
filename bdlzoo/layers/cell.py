"""Cell: a graph of nodes, each a mixture of operations on all nodes before it.

    slices = preprocess(x)                                        n * growth channels
    node_j = slice_j + sum over i < j and k of alpha[(i, j), k] op_k(node_i)
    output = [x, node_0, ..., node_{n-1}]                         concatenated

Images are preprocessed by BatchNorm, ReLU, a 1 x 1 convolution and BatchNorm, flat
features by a dense layer. A node of images is normalised once for all edges out of it.
An operation treats several edges into a node at once: all of them, or three at a time
if the channels are many. Nodes are concatenated once for all later nodes.

Moving statistics are averages over the structures that were drawn. They do not fit a
single fixed structure; `DBSN` estimates them again for it.

Reference: Deng et al., Measuring Uncertainty through Bayesian Learning of Deep
Neural Network Structure, 2019.
"""

import functools

import keras
import numpy as np
import tensorflow as tf
from keras import ops

from bdlzoo.layers.cell_operations import FLAT, IMAGES, check_operations
from bdlzoo.layers.concrete_structure import check_nodes, edges
from bdlzoo.layers.fused_normalization import FusedNormalization, stock_layer
from bdlzoo.layers.mixed_operation import MixedOperation

# Largest number of channels side by side. A matrix of blocks is mostly zeros, and the
# wider it is, the more of them; beyond this width several products are faster.
_WIDTH = 48


@keras.saving.register_keras_serializable(package="bdlzoo")
class Cell(keras.layers.Layer):
    """Runs a graph of operations with given mixing weights.

    Args:
        num_nodes: Integer, number of nodes, at least 2.
        growth: Integer, channels of a node.
        operations: Tuple of names: `"zero"`, `"identity"`, and `"dense_relu"` or
            `"dense_tanh"` for flat features; `"separable_3x3"`, `"dilated_3x3"`,
            `"average_pool_3x3"` or `"max_pool_3x3"` for images.
        dropout: Float, rate of dropout on the nodes.
        drop_path: Float, rate at which an operation with kernels is left out in
            training, for each row and edge.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `name`.

    Call arguments:
        inputs: Pair of tensors: images or flat features, and the mixing weights
            `[E, K]` of a `ConcreteStructure`.

    Returns:
        Tensor like the first one, with `num_nodes * growth` more channels.

    Example:

        structure = ConcreteStructure(3, ("zero", "identity", "dense_relu"))(inputs)
        x = Cell(3, 16, ("zero", "identity", "dense_relu"))([inputs, structure])
    """

    def __init__(self, num_nodes, growth, operations, dropout=0.0, drop_path=0.0,
                 **kwargs):
        super().__init__(**kwargs)
        self.num_nodes = check_nodes(num_nodes)
        self.growth = growth
        self.operations = check_operations(operations)
        self.dropout = dropout
        self.drop_path = drop_path

    def build(self, input_shape):
        shape, weights = map(tuple, input_shape)
        self._check(shape, weights)
        kwargs = dict(dtype=self.dtype_policy)
        channels = self.num_nodes * self.growth
        self.preprocess = _preprocessing(channels, **kwargs) if len(shape) == 4 else [
            keras.layers.Dense(channels, **kwargs)]
        for layer in self.preprocess:
            layer.build(shape)
            shape = layer.compute_output_shape(shape)
        node = (*shape[:-1], self.growth)
        self.norms = [FusedNormalization(center=False, scale=False, **kwargs)
                      for _ in range(self.num_nodes - 1) if len(shape) == 4]
        for norm in self.norms:
            norm.build(node)
        self.mixtures = [
            MixedOperation(self.operations, len(part), self.drop_path, **kwargs)
            for place in range(self.num_nodes) for part in self._parts(place)]
        for mixture in self.mixtures:
            mixture.build(((*shape[:-1], mixture.groups * self.growth),
                           (mixture.groups, len(self.operations))))
        self.drops = [keras.layers.Dropout(self.dropout, **kwargs)
                      for _ in range(self.num_nodes) if self.dropout]

    def call(self, inputs, training=False):
        x, weights = inputs
        features = x
        for layer in self.preprocess:
            features = layer(features, training=training)
        slices = ops.split(features, self.num_nodes, axis=-1)
        nodes, normalised, first = [], [], 0
        mixtures = iter(self.mixtures)

        @functools.cache
        def side_by_side(part):
            """Some nodes, before and after normalisation."""
            return [ops.concatenate(kind[part.start:part.stop], axis=-1)
                    for kind in (nodes, normalised) if kind]

        for place, node in enumerate(slices):
            terms = [node]
            for part in self._parts(place):
                known, *scaled = side_by_side(part)
                terms.append(next(mixtures)(
                    [known, weights[first:first + len(part)], *scaled],
                    training=training))
                first += len(part)
            node = tf.add_n(terms)
            if self.dropout:
                node = self.drops[place](node, training=training)
            nodes.append(node)
            if place < len(self.norms):
                normalised.append(self.norms[place](node, training=training))
        return ops.concatenate([x, *nodes], axis=-1)

    def plain(self, x, weights):
        """The cell under a fixed structure, as layers of Keras.

        Args:
            x: Symbolic tensor.
            weights: Array `[E, K]`; operations of weight 0 are left out.

        Returns:
            Symbolic tensor, equal to the outputs of `call` for these weights.
        """
        features = x
        for layer in self.preprocess:
            features = _applied(features, [(stock_layer(layer), layer.get_weights())])
        slices = ops.split(features, self.num_nodes, axis=-1)
        rows, nodes = dict(zip(edges(self.num_nodes), np.asarray(weights))), []
        for place, node in enumerate(slices):
            parts = [node]
            for before in range(place):
                parts += self._plain_edge(nodes[before], before, place,
                                          rows[before, place])
            node = keras.layers.Add()(parts) if len(parts) > 1 else node
            nodes.append(keras.layers.Dropout(self.dropout)(node)
                         if self.dropout else node)
        return keras.layers.Concatenate()([x, *nodes])

    def _plain_edge(self, node, before, place, weights):
        """Outputs of the operations of one edge, to be added to a node."""
        mixture, group = self._mixture_of(before, place)
        parts = []
        for operation, weight in zip(mixture.parts, weights, strict=True):
            if operation.silent or weight == 0:
                continue
            layers = operation.plain(group, self.norms[before] if self.norms else None)
            if self.drop_path and operation.has_kernels:
                path = (None, *[1] * (len(node.shape) - 1))
                layers.append((keras.layers.Dropout(
                    self.drop_path, noise_shape=path), []))
            if weight != 1:
                layers.append((keras.layers.Rescaling(float(weight)), []))
            parts.append(_applied(node, layers))
        return parts

    def _parts(self, place):
        """Ranges of the nodes before `place` that are treated at once."""
        size = max(3, _WIDTH // self.growth)
        return [range(start, min(start + size, place))
                for start in range(0, place, size)]

    def _mixture_of(self, before, place):
        """The `MixedOperation` of an edge, and the place of its node in it."""
        ends = [(end, part) for end in range(self.num_nodes)
                for part in self._parts(end)]
        [found] = [(mixture, before - part.start)
                   for mixture, (end, part) in zip(self.mixtures, ends, strict=True)
                   if end == place and before in part]
        return found

    def _check(self, shape, weights):
        if len(shape) not in (2, 4):
            raise ValueError(
                "Expected images `[B, H, W, C]` or flat features `[B, C]`. "
                f"Received: input_shape={shape}")
        known = IMAGES if len(shape) == 4 else FLAT
        if any(name not in known for name in self.operations):
            raise ValueError(
                "Expected operations of "
                f"{'images' if known is IMAGES else 'features'}, "
                f"{tuple(known)}. Received: operations={self.operations}, "
                f"input_shape={shape}")
        expected = (len(edges(self.num_nodes)), len(self.operations))
        if weights != expected:
            raise ValueError(
                "Expected a structure of the same nodes and operations, a row for "
                f"each edge, {expected}. Received: a structure of shape {weights}")

    def compute_output_shape(self, input_shape):
        shape, _ = input_shape
        return (*shape[:-1], shape[-1] + self.num_nodes * self.growth)

    def get_config(self):
        return {**super().get_config(), "num_nodes": self.num_nodes,
                "growth": self.growth, "operations": self.operations,
                "dropout": self.dropout, "drop_path": self.drop_path}


def _preprocessing(channels, **kwargs):
    return [FusedNormalization(**kwargs), keras.layers.ReLU(**kwargs),
            keras.layers.Conv2D(channels, 1, use_bias=False, **kwargs),
            FusedNormalization(center=False, scale=False, **kwargs)]


def _applied(x, layers):
    """Applies layers to a tensor one after the other, with the given weights."""
    for layer, weights in layers:
        x = layer(x)
        layer.set_weights(weights)
    return x
