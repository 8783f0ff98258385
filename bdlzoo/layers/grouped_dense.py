"""Dense layers of a cell, one for each node.

    outputs = [activation(node_1 W_1 + b_1), ..., activation(node_G W_G + b_G)]
"""

import keras
from keras import ops

from bdlzoo.layers.block_products import diagonal, product
from bdlzoo.layers.grouped_operation import GroupedOperation


class GroupedDense(GroupedOperation):
    """Applies a dense layer to each node, on the last axis.

    Args:
        groups: Integer, number of nodes side by side in the last axis.
        drop_path: Float, rate at which the operation on a node is left out, for each
            row in training.
        activation: Name or callable, applied to the outputs.
        use_bias: Bool, whether each node has a bias.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `dtype`.
    """

    has_kernels = True

    def __init__(self, groups, drop_path=0.0, activation=None, use_bias=True,
                 **kwargs):
        super().__init__(groups, drop_path, **kwargs)
        self.activation = keras.activations.get(activation)
        self.use_bias = use_bias

    def build(self, input_shape):
        super().build(input_shape)
        channels = input_shape[0][-1]
        width = channels // self.groups
        # Glorot's initialiser for one node. Keras would count the groups as positions
        # of a filter, so the scale is multiplied by their number.
        start = keras.initializers.VarianceScaling(
            float(self.groups), mode="fan_avg", distribution="uniform")
        self.kernel = self.add_weight(
            name="kernel", shape=(self.groups, width, width), initializer=start)
        if self.use_bias:
            self.bias = self.add_weight(name="bias", shape=(channels,),
                                        initializer="zeros")

    def outputs(self, nodes, training=False):
        outputs = product(nodes, diagonal(self.kernel))
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
