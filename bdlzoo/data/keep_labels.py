"""Labels of few rows, for models that learn from rows without labels too."""

import numpy as np

from bdlzoo.core import noise
from bdlzoo.data.split import Split

UNKNOWN = -1  # Label of a row without one.


def keep_labels(y, count, seed=0):
    """Keeps the labels of some rows, and marks all others by -1.

    As many of each class are kept as possible: the first rows of each class in a random
    order, class by class in turn.

    Args:
        y: Integers `[N]` or `[N, 1]`, classes.
        count: Integer, number of labels to keep, below the number of rows.
        seed: Integer, seed of the choice.

    Returns:
        Integers in the shape of `y`.

    Raises:
        ValueError: If there are not as many rows, or no row would be without a label.

    Example:

        model = bdlzoo.methods.MeanTeacher(network)
        model.compile("adam")
        model.fit(x, bdlzoo.data.keep_labels(y, 100), epochs=10)
    """
    labels = np.asarray(y)
    if labels.dtype.kind not in "iu":
        raise ValueError("Expected integers, the classes of rows. Received: labels of "
                         f"type {labels.dtype}")
    if not 1 <= count < len(labels):
        raise ValueError(
            "Expected at least one label, and fewer than rows, so that some rows have "
            f"none. Received: {count} labels for {len(labels)} rows")
    flat = labels.reshape(-1)
    order = noise.permutation(
        len(flat), noise.key(seed, noise.ORDER, noise.ACQUIRE)).numpy()
    turns = np.empty(len(flat), int)  # Place of a row among those of its class.
    for each in np.unique(flat):
        mine = order[flat[order] == each]
        turns[mine] = np.arange(len(mine))
    kept = order[np.argsort(turns[order], kind="stable")[:count]]
    found = np.full_like(labels.astype("int64"), UNKNOWN)
    found.reshape(-1)[kept] = flat[kept]
    return found


def labelled(split):
    """The rows of a `Split` of classes that have a label."""
    y = np.asarray(split.y)
    known = (y != UNKNOWN).any(axis=tuple(range(1, y.ndim)))
    return split if known.all() else Split(split.x[known], split.y[known])
