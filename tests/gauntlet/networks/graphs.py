"""Networks of nodes and edges, and operations between layers."""

import keras
import numpy as np
from keras import layers, ops

from tests.gauntlet.record import network
from tests.gauntlet.rows import bits, indices, numbers

EDGES = indices(6, 2, below=5, seed=6)


@keras.saving.register_keras_serializable(package="gauntlet")
class GraphConvolution(layers.Layer):
    """Averages the neighbours of each node, by a matrix of edges."""

    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.message = layers.Dense(units)
        self.own = layers.Dense(units)

    def build(self, nodes_shape, edges_shape):
        self.message.build(nodes_shape)
        self.own.build(nodes_shape)

    def call(self, nodes, edges):
        count = ops.sum(edges, axis=-1, keepdims=True) + 1.0
        around = ops.matmul(edges, self.message(nodes)) / count
        return ops.relu(self.own(nodes) + around)

    def get_config(self):
        return {**super().get_config(), "units": self.units}


@network("graph of nodes and a matrix of edges",
         {"nodes": numbers(5, 3), "edges": bits(5, 5)}, indices(below=3))
def graph_classifier():
    nodes = keras.Input((5, 3), name="nodes")
    edges = keras.Input((5, 5), name="edges")
    x = GraphConvolution(6)(nodes, edges)
    x = GraphConvolution(6)(layers.Dropout(0.2)(x), edges)
    x = layers.Dense(3)(layers.GlobalAveragePooling1D()(x))
    return keras.Model({"nodes": nodes, "edges": edges}, x)


@keras.saving.register_keras_serializable(package="gauntlet")
class EdgeMessages(layers.Layer):
    """Adds messages along edges that are given by the numbers of their nodes."""

    def __init__(self, units, rate=0.2, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.rate = rate
        self.message = keras.Sequential([layers.Dense(units, activation="relu"),
                                         layers.Dropout(rate)])

    def build(self, shapes):
        nodes, _ = shapes
        self.message.build((None, None, 2 * nodes[-1]))

    def call(self, inputs):
        nodes, edges = inputs
        start, end = edges[..., 0], edges[..., 1]
        pairs = [ops.take_along_axis(nodes, place[..., None], axis=1)
                 for place in (start, end)]
        sent = self.message(ops.concatenate(pairs, axis=-1))
        arrives = ops.one_hot(end, nodes.shape[1], axis=1)
        return ops.matmul(arrives, sent)

    def get_config(self):
        return {**super().get_config(), "units": self.units, "rate": self.rate}


@network("labels of nodes, edges as pairs of indices", [numbers(5, 3), EDGES],
         indices(5, below=3))
def node_labels():
    nodes = keras.Input((5, 3), name="nodes")
    edges = keras.Input((6, 2), dtype="int32", name="edges")
    x = EdgeMessages(6)([nodes, edges])
    return keras.Model([nodes, edges], layers.Dense(3)(layers.concatenate([x, nodes])))


@network("recommender: dot product of two embeddings", indices(2, below=8),
         numbers(1, seed=9), "gaussian")
def recommender():
    inputs = keras.Input((2,), dtype="int32", name="pair")
    user = layers.Embedding(8, 4, embeddings_regularizer="l2")(inputs[:, 0])
    item = layers.Embedding(8, 4)(inputs[:, 1])
    bias = layers.Embedding(8, 1)(inputs[:, 1])
    x = layers.Dropout(0.2)(user * item)
    return keras.Model(inputs, ops.sum(x, axis=-1, keepdims=True) + bias)


@network("weights made by a network, operations with constants",
         [numbers(4), numbers(3, seed=6)], numbers(2, seed=9), "gaussian")
def hypernetwork():
    inputs = keras.Input((4,), name="features")
    context = keras.Input((3,), name="context")
    kernel = layers.Dense(8)(layers.Dropout(0.2)(layers.Dense(5, "tanh")(context)))
    kernel = ops.reshape(kernel, (-1, 4, 2))
    x = ops.einsum("bi,bio->bo", inputs, kernel)
    x = ops.clip(x, -5.0, 5.0) * np.float32(0.5) + ops.cast([1.0, -1.0], "float32")
    return keras.Model([inputs, context], layers.Dense(2)(x))


@network("points without an order", numbers(7, 3), indices(below=3))
def point_cloud():
    inputs = keras.Input((7, 3), name="points")
    x = layers.Conv1D(6, 1, activation="relu")(inputs)
    turn = layers.Dense(36, kernel_initializer="zeros",
                        bias_initializer=keras.initializers.Constant(0.1))(
        layers.GlobalMaxPooling1D()(x))
    x = layers.Dot(axes=(2, 1))([x, layers.Reshape((6, 6))(turn)])
    x = layers.GlobalMaxPooling1D()(layers.BatchNormalization()(x))
    return keras.Model(inputs, layers.Dense(3)(layers.Dropout(0.2)(x)))
