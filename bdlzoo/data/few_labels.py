"""Labels of a few rows only, for models that learn from rows without one."""

import numpy as np


def few_labels(y, count, seed=0):
    """Marks all rows but a few as rows without a label.

    Args:
        y: Array of integers `[N]`, classes from 0 on.
        count: Integer, how many rows keep their label: as many of each class.
        seed: Integer, which rows.

    Returns:
        Array like `y`, with -1 for rows without a label.

    Example:

        x, y = bdlzoo.data.load("digits")
        y = bdlzoo.data.few_labels(y, 50)
    """
    y = np.asarray(y)
    classes = np.unique(y)
    each, rest = divmod(count, len(classes))
    if rest or each < 1 or each > np.bincount(y)[classes].min():
        raise ValueError(
            f"Expected a multiple of the {len(classes)} classes, with enough rows of "
            f"each. Received: count={count}, and {np.bincount(y)[classes].min()} rows "
            "of the rarest class")
    order = np.random.default_rng(seed).permutation(len(y))
    kept = np.concatenate([order[y[order] == label][:each] for label in classes])
    found = np.full_like(y, -1)
    found[kept] = y[kept]
    return found
