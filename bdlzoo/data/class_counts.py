"""Subsets with a chosen number of rows of each class.

For domains that have other shares of classes: a source with ten zeros for each one,
and a target with ten ones for each zero.
"""

import numpy as np

from bdlzoo.data.split import Split


def with_class_counts(x, y, counts, seed=0):
    """Draws rows of some classes, and numbers these classes from 0 on.

    Args:
        x: Array `[N, ...]`, inputs.
        y: Array `[N]` of integer classes.
        counts: Dictionary from a class to the number of its rows.
        seed: Non-negative integer, seed of the choice and of the order.

    Returns:
        `Split(x, y)`; class i is the i-th key of `counts`.

    Example:

        source = with_class_counts(x, y, {0: 1000, 1: 100})
        target = with_class_counts(x_target, y_target, {0: 100, 1: 1000})
    """
    rng, y, chosen = np.random.default_rng(seed), np.asarray(y), []
    for label, count in counts.items():
        rows = np.flatnonzero(y == label)
        if not 0 < count <= len(rows):
            raise ValueError(
                f"Expected from 1 to {len(rows)} rows of class {label}, which is what "
                f"there are. Received: counts[{label}]={count}")
        chosen.append(rng.permutation(rows)[:count])
    labels = np.repeat(np.arange(len(chosen), dtype="int32"), [len(r) for r in chosen])
    order = rng.permutation(len(labels))
    return Split(x[np.concatenate(chosen)[order]], labels[order])
