"""Bootstrap intervals: how far a figure moves with the rows of the test set.

    resample i = N rows drawn with replacement
    low, high  = quantiles (1 - level) / 2, (1 + level) / 2 of statistic(resample)

The percentile interval. It keeps to the range of the statistic and follows its
transformations; BCa would correct its bias, at the price of N more evaluations,
which for AUROC on 10,000 rows is ten times the work. A statistic at its limit (an
AUROC of exactly 1) does not move in resamples either: its interval is a point,
and says too little.

It is the chance of the test rows only. What another training run would give
is seen over seeds.

Reference: Efron and Tibshirani, An Introduction to the Bootstrap, 1993.
"""

import numpy as np

from bdlzoo.core import noise
from bdlzoo.core.interval import Interval

_STREAM = -1  # Below `noise.ORDER`, where epochs count from 0.
_BUDGET = 2**22  # Words drawn at once.
_UNDEFINED = 0.1  # Largest share of resamples without a value.


def bootstrap(statistic, *arrays, num_resamples=1000, level=0.95, seed=0,
              centred=False):
    """Interval of a statistic of rows.

    The statistic may be undefined on a resample, as AUROC is where a class is
    missing: it raises `ValueError`, or gives NaN. Such resamples are left out,
    so that the interval is that of the defined ones. Where they are more than a
    tenth, as with one or two rows of a class among many, there is no interval.

    Args:
        statistic: Function of the arrays, to a float or an array of figures:
            several in one call share their resamples.
        *arrays: Arrays of one length, rows first.
        num_resamples: Positive integer.
        level: Float in (0, 1), the chance to hold the true value.
        seed: Integer. The same rows are drawn for the same seed and length.
        centred: Bool, whether resamples are moved so that their mean is the
            value: for a statistic that repeated rows bias, as they raise ECE.

    Returns:
        `Interval` of the value on all rows, and the two ends.

    Raises:
        ValueError: Where the statistic is undefined on all rows, or on too
            many resamples.
    """
    arrays = [np.asarray(array) for array in arrays]
    lengths = {array.shape[:1] for array in arrays}
    if len(lengths) != 1 or () in lengths:
        raise ValueError(
            "Expected arrays with the same number of rows. Received: shapes="
            f"{[array.shape for array in arrays]}")
    if num_resamples < 1 or not 0.0 < level < 1.0:
        raise ValueError(
            "Expected at least one resample and a level in (0, 1). Received: "
            f"num_resamples={num_resamples}, level={level}")
    value = np.asarray(statistic(*arrays), "float64")
    if not np.isfinite(value).all():
        raise ValueError("Expected a statistic that is finite on all rows. "
                         f"Received: {value}")
    found = []
    for rows in _resamples(len(arrays[0]), num_resamples, seed):
        try:
            found.append(statistic(*(array[rows] for array in arrays)))
        except ValueError:  # On all rows it was none: a class is missing here.
            found.append(np.full(value.shape, np.nan))
    found = np.array(found, "float64").reshape(num_resamples, -1)
    found = found[np.isfinite(found).all(axis=1)].reshape(-1, *value.shape)
    if len(found) < (1.0 - _UNDEFINED) * num_resamples:
        raise ValueError(
            "Expected a statistic that is defined on nearly all resamples: one "
            "class has too few rows for an interval. Received: defined on "
            f"{len(found)} of {num_resamples}. Use more rows.")
    if centred:
        found += value - found.mean(axis=0)
    low, high = np.quantile(found, [(1 - level) / 2, (1 + level) / 2], axis=0)
    # Floats where the statistic is a number, arrays where it is several.
    return Interval(value[()], low[()], high[()])


def paired_bootstrap(statistic, first, second, num_resamples=1000, level=0.95,
                     seed=0):
    """Interval of `statistic(*first) - statistic(*second)` on the same rows.

    Both methods are judged on the same resamples, so that what makes a row hard
    for both cancels: the interval is narrower than that of two separate ones,
    and one without 0 tells the methods apart.

    Args:
        statistic: See `bootstrap`.
        first: Tuple of arrays of the one method.
        second: Tuple of arrays of the other, row by row the same examples.
        num_resamples: See `bootstrap`.
        level: See `bootstrap`.
        seed: See `bootstrap`.
    """
    if len(first) != len(second):
        raise ValueError(
            "Expected as many arrays of one method as of the other. Received: "
            f"{len(first)} and {len(second)}")

    def difference(*arrays):
        return (np.asarray(statistic(*arrays[:len(first)]))
                - np.asarray(statistic(*arrays[len(first):])))

    return bootstrap(difference, *first, *second, num_resamples=num_resamples,
                     level=level, seed=seed)


def _resamples(size, count, seed):
    """Yields `count` times `size` row numbers."""
    key = noise.key(seed, noise.ORDER, _STREAM)
    chunk = max(1, _BUDGET // size)
    for start in range(0, count, chunk):
        words = noise.words([min(chunk, count - start), size],
                            noise.fold_in(key, start)).numpy()
        # The high half of a product: chances differ by `size / 2**32` at most.
        yield from words.astype("uint64") * np.uint64(size) >> np.uint64(32)
