"""Pooling operations of a cell: the mean or the maximum of 3 x 3 pixels."""

import keras

from bdlzoo.layers.normalized_operation import NormalizedOperation


class GroupedPool(NormalizedOperation):
    """Pools the 3 x 3 pixels around each pixel, and normalises.

    Args:
        groups: Integer, number of nodes side by side in the last axis.
        drop_path: Float, without effect, since the operation has no kernels.
        kind: `"average"` or `"max"`.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `dtype`.
    """

    raw = True  # Zeros around the image mean zeros before normalisation.

    def __init__(self, groups, drop_path=0.0, kind="average", **kwargs):
        super().__init__(groups, drop_path, **kwargs)
        self.kind = kind
        self.pool = self._pool()

    def features(self, nodes, training=False):
        return self.pool(nodes)

    def plain(self, group, norm=None):
        return [(self._pool(), []), *super().plain(group)]

    def _pool(self):
        kind = {"average": keras.layers.AveragePooling2D,
                "max": keras.layers.MaxPooling2D}[self.kind]
        return kind(3, strides=1, padding="same")

    def get_config(self):
        return {**super().get_config(), "kind": self.kind}
