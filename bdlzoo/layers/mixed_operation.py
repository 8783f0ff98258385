"""Edges into a node of a cell, each a mixture of operations.

    outputs = sum over nodes i and operations k of alpha[i, k] op_k(node i)

Every operation runs once for all nodes.
"""

import keras
import tensorflow as tf

from bdlzoo.layers.cell_operations import FLAT, IMAGES, check_operations


@keras.saving.register_keras_serializable(package="bdlzoo")
class MixedOperation(keras.layers.Layer):
    """Mixes operations on several nodes, and adds up the outputs.

    Args:
        operations: Tuple of names: `"zero"`, `"identity"`, and `"dense_relu"` or
            `"dense_tanh"` for flat features; `"separable_3x3"`, `"dilated_3x3"`,
            `"average_pool_3x3"` or `"max_pool_3x3"` for images.
        groups: Integer, number of nodes side by side in the last axis of the inputs.
        drop_path: Float, rate at which an operation with kernels is left out in
            training, for each row and node.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `name`.

    Call arguments:
        inputs: Tensors: nodes `[..., G * C]`, weights `[G, K]`, and for images the
            same nodes again, normalised without scale and shift.

    Returns:
        Tensor `[..., C]`.

    Example:

        MixedOperation(("identity", "dense_relu"), groups=2)([nodes, weights])
    """

    def __init__(self, operations, groups, drop_path=0.0, **kwargs):
        super().__init__(**kwargs)
        self.names = check_operations(operations)
        self.groups = groups
        self.drop_path = drop_path

    def build(self, input_shape):
        nodes, *_ = input_shape
        known = IMAGES if len(nodes) == 4 else FLAT
        self.parts = [known[name](self.groups, drop_path=self.drop_path,
                                  dtype=self.dtype_policy) for name in self.names]
        for part in self.parts:
            part.build((nodes, (self.groups,)))

    def call(self, inputs, training=False):
        nodes, weights, *normalised = inputs
        [normalised] = normalised or [nodes]
        mixed = [part((nodes if part.raw else normalised, weights[:, place]),
                      training=training)
                 for place, part in enumerate(self.parts)
                 if not part.silent or len(self.parts) == 1]
        return tf.add_n(mixed)

    def compute_output_shape(self, input_shape):
        nodes, *_ = input_shape
        return (*nodes[:-1], nodes[-1] // self.groups)

    def get_config(self):
        return {**super().get_config(), "operations": self.names,
                "groups": self.groups, "drop_path": self.drop_path}
