"""Splits of data sets into rows for training, validation and test.

    order = permutation(num_rows, seed)
    order = [ test | validation | train ]

All splits are parts of one order, so that they cannot overlap.
"""

import numbers
import typing

import numpy as np

NAMES = ("train", "validation", "test")


class Split(typing.NamedTuple):
    """Inputs and targets of one split, row by row.

    Args:
        x: Array `[N, ...]`, inputs.
        y: Array `[N]` or `[N, D]`, targets.

    Example:

        split = bdlzoo.data.Split(x, y)
        model.fit(*split)
    """

    x: np.ndarray
    y: np.ndarray


def deal(num_rows, seed, validation, test=0.0):
    """Distributes rows to the splits at random.

    Args:
        num_rows: Integer, number of rows.
        seed: Non-negative integer, seed of the order.
        validation: Fraction in `[0, 1)`, or count, of the rows that are not for test.
        test: Fraction of all rows; 0 if the data set has a test split.

    Returns:
        Dict from the name of a split to its row numbers, in random order.
    """
    if not isinstance(seed, numbers.Integral) or seed < 0:
        raise ValueError(
            f"Expected a seed that is an integer >= 0. Received: seed={seed!r}")
    order = np.random.default_rng(seed).permutation(num_rows)
    num_test = int(num_rows * test)
    rest = order[num_test:]
    num_validation = _count(validation, len(rest))
    return {
        "train": rest[num_validation:],
        "validation": rest[:num_validation],
        "test": order[:num_test],
    }


def _count(validation, num_rows):
    if isinstance(validation, float) and validation > 1 and validation.is_integer():
        validation = int(validation)  # Configs whose default is a fraction make floats.
    if isinstance(validation, numbers.Integral):
        count, valid = int(validation), 0 <= validation < num_rows
    elif isinstance(validation, numbers.Real):
        valid = 0 <= validation < 1
        count = int(num_rows * validation) if valid else 0
    else:
        valid = False
    # `True` is an integer in Python, and would mean one row.
    if not valid or isinstance(validation, bool):
        raise ValueError(
            f"Expected a fraction in [0, 1), or a count below {num_rows}, so that "
            f"training rows are left. Received: validation={validation!r}")
    return count


def choose(rows, split, name):
    """Returns the rows of `split`, or raises a `ValueError` if there are none."""
    chosen = rows.get(split, ())
    if len(chosen):
        return chosen
    hint = ("set `validation` to more than 0 rows"
            if split == "validation" and len(rows.get("train", ()))
            else "it has only 'test'")
    raise ValueError(
        f"Expected a split with rows; '{name}' has no such rows: {hint}. "
        f"Received: split={split!r}")


def standardise(values, train_rows):
    """Centres and scales columns by the statistics of the training rows.

    Args:
        values: Array `[N]` or `[N, D]`.
        train_rows: Row numbers of the training rows.

    Returns:
        The values in float32, and the pair `(mean, std)` of the training rows.
    """
    train = np.asarray(values, "float64")[train_rows]
    mean, std = train.mean(axis=0), train.std(axis=0)
    # By rounding, the std of a constant column may be tiny instead of 0.
    std = np.where(np.ptp(train, axis=0) == 0, 1.0, std)
    return ((values - mean) / std).astype("float32"), (mean, std)
