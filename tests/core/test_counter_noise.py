"""Random numbers that are functions of seeds and counters."""

import numpy as np
import pytest
from scipy import stats

from bdlzoo.core import counter_noise

_SEEDS = np.arange(20000)
_EULER = 0.5772156649


def test_numbers_do_not_depend_on_the_batch_they_come_in():
    many = counter_noise.uniform(_SEEDS[:, None], 3, np.arange(5))
    assert many.shape == (20000, 5)
    assert counter_noise.uniform(77, 3, 2) == many[77, 2]
    assert 0.0 < many.min() and many.max() < 1.0


@pytest.mark.parametrize("counters", [(), (0,), (5, 1), (-2,)])
def test_laws_are_right(counters):
    def far(found, law):
        return stats.kstest(found, law).pvalue < 1e-4

    assert not far(counter_noise.uniform(_SEEDS, *counters), "uniform")
    assert not far(counter_noise.normal(_SEEDS, *counters), "norm")
    assert not far(counter_noise.exponential(_SEEDS, *counters), "expon")
    assert not far(counter_noise.gumbel(_SEEDS, *counters), "gumbel_r")
    counts = np.bincount(counter_noise.integers(7, _SEEDS, *counters), minlength=7)
    assert len(counts) == 7 and stats.chisquare(counts).pvalue > 1e-4


def test_streams_have_nothing_in_common():
    """Nor do neighbours, exchanged counters, or a counter that is left out."""
    streams = [counter_noise.normal(_SEEDS, *counters) for counters in (
        (), (0,), (1,), (0, 1), (1, 0), (2, 2))]
    streams += [counter_noise.normal(5, _SEEDS), counter_noise.normal(_SEEDS + 1)[::-1]]
    correlation = np.corrcoef(streams) - np.eye(len(streams))
    assert np.abs(correlation).max() < 0.035  # Five standard errors.
    assert len(np.unique(counter_noise.words(_SEEDS[:, None], np.arange(5)))) == 100000


def test_mean_of_gumbels_is_the_constant_of_euler():
    found = counter_noise.gumbel(3, np.arange(200000))
    np.testing.assert_allclose(found.mean(), _EULER, atol=0.01)
    np.testing.assert_allclose(found.var(), np.pi**2 / 6, atol=0.03)
