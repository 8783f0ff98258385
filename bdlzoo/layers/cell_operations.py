"""Names of the operations that an edge of a cell may have.

    zero, identity, dense_relu, dense_tanh           of flat features
    zero, identity, separable_3x3, dilated_3x3,      of images
    average_pool_3x3, max_pool_3x3

A name stands for a subclass of `bdlzoo.layers.grouped_operation.GroupedOperation`.
"""

import functools

from bdlzoo.layers.grouped_dense import GroupedDense
from bdlzoo.layers.grouped_identity import GroupedIdentity, GroupedZero
from bdlzoo.layers.grouped_pool import GroupedPool
from bdlzoo.layers.grouped_separable_conv import GroupedSeparableConv

FLAT = {"zero": GroupedZero, "identity": GroupedIdentity,
        "dense_relu": functools.partial(GroupedDense, activation="relu"),
        "dense_tanh": functools.partial(GroupedDense, activation="tanh")}
IMAGES = {
    "zero": GroupedZero,
    "identity": GroupedIdentity,
    "separable_3x3": GroupedSeparableConv,
    "dilated_3x3": functools.partial(GroupedSeparableConv, repeats=1, dilation=2),
    "average_pool_3x3": GroupedPool,
    "max_pool_3x3": functools.partial(GroupedPool, kind="max"),
}
_NAMES = tuple({**FLAT, **IMAGES})


def check_operations(operations):
    """Returns names of operations as a tuple, at least one and none twice."""
    names = (operations,) if isinstance(operations, str) else tuple(operations)
    unknown = [name for name in names if name not in _NAMES]
    if not names or unknown or len(set(names)) < len(names):
        raise ValueError(f"Expected at least one of {_NAMES}, each once. Received: "
                         f"operations={operations!r}")
    return names
