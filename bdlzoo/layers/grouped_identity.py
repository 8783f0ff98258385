"""Operations of a cell without weights: no edge, and an edge that changes nothing."""

import keras
from keras import ops

from bdlzoo.layers.fused_normalization import plain_norm
from bdlzoo.layers.grouped_operation import GroupedOperation


class GroupedZero(GroupedOperation):
    """Returns zeros: there is no edge.

    Args:
        groups: Integer, number of nodes side by side in the last axis.
        drop_path: Float, without effect, since the operation has no kernels.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `dtype`.
    """

    silent = True

    def outputs(self, nodes, training=False):
        return ops.zeros_like(nodes)

    def plain(self, group, norm=None):
        return [(keras.layers.Rescaling(0.0), [])]


class GroupedIdentity(GroupedOperation):
    """Returns the nodes unchanged.

    Args:
        groups: Integer, number of nodes side by side in the last axis.
        drop_path: Float, without effect, since the operation has no kernels.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `dtype`.
    """

    def outputs(self, nodes, training=False):
        return nodes

    def plain(self, group, norm=None):
        return [] if norm is None else [plain_norm(norm, norm.get_weights())]
