"""Intervals and tests over several seeds: of a score, and of two methods.

    interval = mean +- t(n - 1) * s / sqrt(n)            over n seeds
    t        = mean(d) / (s_d / sqrt(n)),  d = a - b     seed by seed

A seed fixes the split and the order of data for both methods, so their difference is
taken for each seed. With three seeds a difference must be 2.5 times its own standard
deviation before p is below 0.05. If many pairs are tested, Holm's step-down correction
bounds the probability of at least one false claim.

Reference: Student, The Probable Error of a Mean, Biometrika 1908; Holm, A Simple
Sequentially Rejective Multiple Test Procedure, Scand. J. Statist. 1979.
"""

import numpy as np

from bdlzoo.core.interval import Interval


def mean_interval(values, level=0.95):
    """Mean over seeds and the t interval of the mean.

    Args:
        values: Floats `[n]`, one for each seed.
        level: Float in (0, 1), probability that the interval holds the mean.

    Returns:
        `Interval`; its ends are NaN for a single seed.
    """
    from scipy import stats
    values = _column("values", values)
    mean = values.mean()
    if len(values) == 1:
        return Interval(mean, np.nan, np.nan)
    half = (stats.t.ppf((1 + level) / 2, len(values) - 1)
            * values.std(ddof=1) / np.sqrt(len(values)))
    return Interval(mean, mean - half, mean + half)


def paired_p_value(first, second):
    """Two-sided p value of a difference, by the paired t test.

    Args:
        first: Floats `[n]` of one method, one for each seed.
        second: Floats `[n]` of the other method, for the same seeds in the same order.

    Returns:
        Float; NaN for a single seed, 1 if all pairs are equal, 0 if all differences
        are the same number and not 0.
    """
    from scipy import stats
    first, second = _column("first", first), _column("second", second)
    if len(first) != len(second):
        raise ValueError("Expected the same seeds of both methods. Received: "
                         f"{len(first)} and {len(second)} values")
    if len(first) == 1:
        return np.nan
    gap = first - second
    if np.ptp(gap) == 0:  # No spread: the statistic would be 0 / 0, or infinite.
        return 1.0 if gap[0] == 0 else 0.0
    return float(stats.ttest_rel(first, second).pvalue)


def holm(p_values):
    """Corrects p values for multiple tests; NaN values do not count as tests.

    Args:
        p_values: Floats `[n]`.

    Returns:
        Array `[n]`, the corrected p values.
    """
    p_values = np.asarray(p_values, "float64")
    corrected, order = p_values.copy(), np.argsort(p_values)
    tested, highest = int(np.sum(~np.isnan(p_values))), 0.0
    for rank, place in enumerate(order[:tested]):  # NaN are sorted to the end.
        highest = max(highest, min(1.0, (tested - rank) * p_values[place]))
        corrected[place] = highest
    return corrected


def _column(name, values):
    values = np.asarray(values, "float64")
    if values.ndim != 1 or not values.size or not np.isfinite(values).all():
        raise ValueError("Expected finite numbers [n], one for each seed. Received: "
                         f"{name}={values}")
    return values
