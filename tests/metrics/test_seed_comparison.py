"""Tests of the comparison over seeds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bdlzoo.metrics.seed_comparison import holm, mean_interval, paired_p_value


def test_interval_is_students():
    # By hand: s = 1, t(2, 0.975) = 4.302653, half = 4.302653 / sqrt(3).
    value, low, high = mean_interval([1.0, 2.0, 3.0])
    assert value == 2.0
    assert high - value == pytest.approx(4.302653 / np.sqrt(3), rel=1e-6)
    assert value - low == pytest.approx(high - value)


def test_one_seed_has_no_interval_and_no_test():
    value, low, high = mean_interval([0.5])
    assert value == 0.5 and np.isnan([low, high]).all()
    assert np.isnan(paired_p_value([0.5], [0.4]))


def test_pairing_finds_what_the_spread_of_seeds_hides():
    seeds = np.array([0.1, 0.5, 0.9, 0.3])
    better = seeds + [0.010, 0.011, 0.009, 0.010]
    assert paired_p_value(better, seeds) < 0.001
    assert stats.ttest_ind(better, seeds).pvalue > 0.9


def test_p_value_is_that_of_one_sample_of_differences():
    a, b = np.array([1.0, 2.0, 4.0]), np.array([0.5, 2.5, 1.0])
    expected = stats.ttest_1samp(a - b, 0.0).pvalue
    assert paired_p_value(a, b) == pytest.approx(expected)
    assert paired_p_value(b, a) == pytest.approx(expected)


def test_differences_without_spread_are_decided():
    assert paired_p_value([1.0, 2.0], [1.0, 2.0]) == 1.0
    assert paired_p_value([2.0, 3.0], [1.0, 2.0]) == 0.0


def test_holm_by_hand():
    np.testing.assert_allclose(holm([0.01, 0.04, 0.03]), [0.03, 0.06, 0.06])
    np.testing.assert_allclose(holm([0.02, np.nan, 0.5]), [0.04, np.nan, 0.5])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_keeps_the_order_and_never_lowers(p_values):
    corrected = holm(p_values)
    assert (corrected >= np.array(p_values)).all() and corrected.max() <= 1
    assert (np.diff(corrected[np.argsort(p_values, kind="stable")]) >= 0).all()


def test_bad_seeds_are_refused():
    with pytest.raises(ValueError, match="the same seeds"):
        paired_p_value([1.0, 2.0], [1.0])
    with pytest.raises(ValueError, match="finite"):
        mean_interval([1.0, np.nan])
