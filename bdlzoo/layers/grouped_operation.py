"""Base class of the operations on the edges of a cell.

An edge leads from a node to a later node. The nodes that lead to one node lie side by
side in the last axis, `[..., G * C]`. An operation treats all G of them in one call,
with kernels of its own for each edge. A depthwise convolution needs nothing for that.
A product of channels has the group axis in its kernel, `[G, C, C]`, and is done by
`bdlzoo.layers.block_products`.

Reference: Deng et al., Measuring Uncertainty through Bayesian Learning of Deep
Neural Network Structure, 2019, and its released code.
"""

import keras
import tensorflow as tf
from keras import ops

from bdlzoo.layers.block_products import product


class GroupedOperation(keras.layers.Layer):
    """Applies one operation to several nodes, and adds up the outputs.

    A subclass writes `outputs` and `plain`.

    Args:
        groups: Integer, number of nodes side by side in the last axis.
        drop_path: Float, rate at which the operation on a node is left out, for each
            row in training; 0 for operations without kernels.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `dtype`.

    Call arguments:
        inputs: Pair of tensors: nodes `[..., G * C]`, and their weights `[G]`.

    Returns:
        Tensor `[..., C]`, the weighted sum over nodes.
    """

    silent = False  # Whether all outputs are zero.
    raw = False  # Whether it reads nodes of images before they are normalised.
    has_kernels = False

    def __init__(self, groups, drop_path=0.0, **kwargs):
        super().__init__(**kwargs)
        self.groups = groups
        self.drop_path = drop_path if self.has_kernels else 0.0

    def build(self, input_shape):
        """Makes the weights, from the shapes of the nodes and of their weights."""
        shape, _ = input_shape
        if self.drop_path:
            self.drop = keras.layers.Dropout(self.drop_path, noise_shape=(
                None, *[1] * (len(shape) - 2), self.groups, 1))

    def outputs(self, nodes, training=False):
        """Outputs of all nodes, `[..., G * C]`, before they are added up."""
        raise NotImplementedError

    def mixed(self, nodes, weights, training=False):
        """Weighted sum of `outputs`; a subclass may know a faster way."""
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
        """The operation on one of the nodes, as layers of Keras.

        Args:
            group: Integer, number of the node.
            norm: `FusedNormalization` that normalises the node, for images. The
                returned layers include it and read the node itself.

        Returns:
            List of pairs (layer, weights), to be called one after the other.
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
        return product(outputs, tf.cast(weights, tf.float32)[:, None, None] * eye)

    def _part(self, values, group):
        """The channels of one node, from an array with the channels of all."""
        width = values.shape[-1] // self.groups
        return ops.convert_to_numpy(values)[..., group * width:(group + 1) * width]
