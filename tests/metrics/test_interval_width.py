"""Width of central intervals."""

import numpy as np
import pytest
import scipy.stats

from bdlzoo.metrics.interval_width import IntervalWidth


def _width(pairs, level):
    metric = IntervalWidth(level=level)
    metric.update_state(np.zeros(np.shape(pairs)[-3:-1]), pairs)
    return float(metric.result())


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_gaussian_width_is_a_multiple_of_its_scale(level):
    scales = np.array([0.5, 1.0, 3.0])
    pairs = np.stack([[7.0, -1.0, 0.0], scales**2], axis=-1)[:, None]
    multiple = 2 * scipy.stats.norm.ppf(0.5 + level / 2)
    assert _width(pairs, level) == pytest.approx(
        multiple * scales.mean(), rel=1e-5)


def test_mixture_is_as_wide_as_its_quantiles():
    """Components at -5 and 5: quantile 0.9 of the mixture is 5 + z(0.8)."""
    pairs = np.ones((2, 1, 1, 2))
    pairs[0, ..., 0], pairs[1, ..., 0] = -5.0, 5.0
    assert _width(pairs, 0.8) == pytest.approx(
        2 * (5.0 + scipy.stats.norm.ppf(0.8)), rel=1e-5)
