"""What a split is, and how rows are dealt out to the splits of a set.

    order = permutation(num_rows, seed)
    order = [ test | validation | train ]

All splits are cut from one order, so they cannot overlap, whichever of them is
asked for.
"""

import numbers
import typing

import numpy as np

NAMES = ("train", "validation", "test")


class Split(typing.NamedTuple):
    """Inputs and targets of one split, row by row."""

    x: np.ndarray
    y: np.ndarray


def deal(num_rows, seed, validation, test=0.0):
    """Deals rows out to the splits.

    Args:
        num_rows: Integer, rows to deal.
        seed: Non-negative integer.
        validation: Fraction in `[0, 1)`, or count, of the rows not in the test.
        test: Fraction of all rows; 0 where the set has a test of its own.

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
    if isinstance(validation, numbers.Integral):
        count, valid = int(validation), 0 <= validation < num_rows
    elif isinstance(validation, numbers.Real):
        valid = 0 <= validation < 1
        count = int(num_rows * validation) if valid else 0
    else:
        valid = False
    # `True` is an integer to Python, and would mean one row.
    if not valid or isinstance(validation, bool):
        raise ValueError(
            "Expected a fraction in [0, 1), or a count that leaves rows of the "
            f"{num_rows} to train on. Received: validation={validation!r}")
    return count


def choose(rows, split, name):
    """Rows of `split`, or an error if the set has none."""
    chosen = rows.get(split, ())
    if len(chosen):
        return chosen
    hint = ("give `validation` more than 0 rows"
            if split == "validation" and len(rows.get("train", ()))
            else "only 'test' is there")
    raise ValueError(
        f"Expected a split with rows; '{name}' has none for it: {hint}. "
        f"Received: split={split!r}")


def standardise(values, train_rows):
    """Centres and scales columns by the statistics of the training rows.

    Returns:
        The float32 values, and their `(mean, std)` as they were.
    """
    train = np.asarray(values, "float64")[train_rows]
    mean, std = train.mean(axis=0), train.std(axis=0)
    # A constant column may get a tiny std by rounding: dividing by it blows up.
    std = np.where(np.ptp(train, axis=0) == 0, 1.0, std)
    return ((values - mean) / std).astype("float32"), (mean, std)
