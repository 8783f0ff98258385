"""All edges into a node of a cell, each a mixture of operations.

    outputs = sum over nodes i and operations k of alpha[i, k] op_k(node i)

Every operation runs once for all nodes, see `bdlzoo.layers.cell_operations`.
"""

import keras
import tensorflow as tf

from bdlzoo.layers.cell_operations import OPERATIONS, check_operations


@keras.saving.register_keras_serializable(package="bdlzoo")
class MixedOperation(keras.layers.Layer):
    """Mixes operations on the nodes before a node, and adds these up.

    Args:
        operations: Tuple of names, see `bdlzoo.layers.cell_operations`.
        groups: Integer, nodes side by side in the last axis of the inputs.
        drop_path: Float, rate at which draws leave out an edge's operation with
            kernels; one for each row in training.
        **kwargs: See `keras.layers.Layer`.

    Call arguments:
        inputs: Pair of tensors: nodes `[..., G * C]`, and weights `[G, K]`.

    Returns:
        Tensor `[..., C]`.
    """

    def __init__(self, operations, groups, drop_path=0.0, **kwargs):
        super().__init__(**kwargs)
        self.names = check_operations(operations)
        self.groups = groups
        self.drop_path = drop_path

    def build(self, input_shape):
        nodes, _ = input_shape
        self.parts = [OPERATIONS[name](self.groups, dtype=self.dtype_policy)
                      for name in self.names]
        for part in self.parts:
            part.build(nodes)
        path = (None, *[1] * (len(nodes) - 2), self.groups, 1)
        self.drops = {name: keras.layers.Dropout(self.drop_path, noise_shape=path)
                      for name, part in zip(self.names, self.parts)
                      if self.drop_path and part.weighed}

    def call(self, inputs, training=False):
        nodes, weights = inputs
        shape = (*tf.unstack(tf.shape(nodes))[:-1], self.groups,
                 nodes.shape[-1] // self.groups)
        mixed = []
        for place, (name, part) in enumerate(zip(self.names, self.parts)):
            if part.silent:
                continue
            outputs = tf.reshape(part(nodes, training=training), shape)
            if name in self.drops:
                outputs = self.drops[name](outputs, training=training)
            mixed.append(outputs * weights[:, place, None])
        if not mixed:
            return tf.zeros((*shape[:-2], shape[-1]), nodes.dtype)
        return tf.reduce_sum(tf.add_n(mixed), axis=-2)

    def compute_output_shape(self, input_shape):
        nodes, _ = input_shape
        return (*nodes[:-1], nodes[-1] // self.groups)

    def get_config(self):
        return {**super().get_config(), "operations": self.names,
                "groups": self.groups, "drop_path": self.drop_path}
