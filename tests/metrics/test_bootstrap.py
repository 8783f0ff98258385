"""Bootstrap intervals against the laws that they estimate."""

import numpy as np
import pytest

from bdlzoo.metrics.bootstrap import bootstrap, paired_bootstrap
from bdlzoo.metrics.ranking import auroc


def _scores(size=400, seed=0):
    """Scores of both classes, a standard deviation apart."""
    positives = np.arange(size) % 4 == 0
    return np.random.default_rng(seed).normal(positives), positives


def test_interval_of_a_mean_is_that_of_the_central_limit():
    values = np.random.default_rng(0).normal(size=400)
    value, low, high = bootstrap(np.mean, values, num_resamples=4000, level=0.9)
    error = values.std() / 20
    assert value == values.mean()
    assert low == pytest.approx(values.mean() - 1.645 * error, abs=0.08 * error)
    assert high == pytest.approx(values.mean() + 1.645 * error, abs=0.08 * error)


def test_interval_of_auroc_is_as_wide_as_delong_says():
    scores, positives = _scores()
    value, low, high = bootstrap(auroc, scores, positives)
    wins = scores[positives][:, None] > scores[~positives]
    variance = (wins.mean(axis=1).var(ddof=1) / positives.sum()
                + wins.mean(axis=0).var(ddof=1) / (~positives).sum())
    assert value == wins.mean()
    assert high - low == pytest.approx(2 * 1.96 * variance**0.5, rel=0.1)
    assert low < value < high


def test_interval_holds_the_truth_as_often_as_it_says():
    """Uniforms have the mean 1 / 2; three standard errors of 1000 trials."""
    trials = np.random.default_rng(0).random((60, 1000))
    _, low, high = bootstrap(lambda rows: rows.mean(axis=0), trials, level=0.9)
    assert low.shape == (1000,)
    assert np.mean((low <= 0.5) & (0.5 <= high)) == pytest.approx(0.9, abs=0.03)


def test_resamples_draw_every_row_alike_and_with_replacement():
    drawn = []
    bootstrap(lambda rows: drawn.append(rows) or 0.0, np.arange(50),
              num_resamples=2000)
    resamples = np.stack(drawn[1:])  # The first are the rows themselves.
    counts = np.bincount(resamples.ravel(), minlength=50)
    assert len(counts) == 50
    # Binomial counts around 2000, five standard deviations wide.
    assert abs(counts - 2000).max() < 5 * 2000**0.5
    distinct = np.mean([len(set(rows)) for rows in resamples])
    assert distinct == pytest.approx(50 * (1 - 0.98**50), abs=0.3)
    assert len({tuple(rows) for rows in resamples}) == 2000


def test_resamples_too_many_for_one_draw_go_on_in_another(monkeypatch):
    monkeypatch.setitem(bootstrap.__globals__, "_BUDGET", 60)
    drawn = []
    bootstrap(lambda rows: drawn.append(tuple(rows)) or 0.0, np.arange(20),
              num_resamples=10)
    assert len(drawn) == 11
    assert len(set(drawn)) == 11


def test_seed_decides():
    scores, positives = _scores()
    first = bootstrap(auroc, scores, positives, num_resamples=50, seed=1)
    assert bootstrap(auroc, scores, positives, num_resamples=50, seed=1) == first
    assert bootstrap(auroc, scores, positives, num_resamples=50, seed=2) != first


def test_several_figures_share_their_resamples():
    values = np.random.default_rng(0).normal(size=50)
    both = bootstrap(lambda rows: [rows.mean(), rows.max()], values,
                     num_resamples=50)
    for index, statistic in enumerate((np.mean, np.max)):
        alone = bootstrap(statistic, values, num_resamples=50)
        np.testing.assert_array_equal([part[index] for part in both], alone)


def test_pairs_cancel_what_rows_have_in_common():
    """Of two scores with the same noise, the difference is known far better."""
    noise, positives = _scores()
    first, second = noise + 0.2 * positives, noise
    paired = paired_bootstrap(auroc, (first, positives), (second, positives))
    alone = bootstrap(auroc, first, positives)
    assert paired.value == auroc(first, positives) - auroc(second, positives)
    assert 0.0 < paired.low < paired.value < paired.high
    assert paired.high - paired.low < (alone.high - alone.low) / 4


def test_method_does_not_differ_from_itself():
    pair = _scores()
    assert paired_bootstrap(auroc, pair, pair, num_resamples=20) == (0, 0, 0)


def test_resamples_without_a_class_are_left_out():
    """Three positives are missing in a resample of twenty."""
    scores, positives = np.arange(60.0) % 7, np.arange(60) < 3
    undefined = []

    def counted(*arrays):
        undefined.append(not arrays[1].any())
        return auroc(*arrays)

    interval = bootstrap(counted, scores, positives)
    assert 20 < sum(undefined) < 90
    assert 0.0 <= interval.low < interval.value < interval.high <= 1.0
    # An undefined figure may be NaN as well.
    assert interval == bootstrap(
        lambda s, p: auroc(s, p) if p.any() else np.nan, scores, positives)


def test_class_with_too_few_rows_has_no_interval():
    with pytest.raises(ValueError, match="too few rows.*of 1000"):
        bootstrap(auroc, np.arange(60.0), np.arange(60) < 1)


def test_statistic_undefined_on_all_rows_says_why():
    with pytest.raises(ValueError, match="one class is missing"):
        bootstrap(auroc, np.arange(4.0), np.zeros(4))
    with pytest.raises(ValueError, match="finite on all rows"):
        bootstrap(lambda rows: np.nan, np.arange(4.0))


@pytest.mark.parametrize("arrays", [[], [np.ones(3), np.ones(4)], [1.0, 2.0]])
def test_arrays_of_different_lengths_are_refused(arrays):
    with pytest.raises(ValueError, match="same number of rows"):
        bootstrap(lambda *rows: 0.0, *arrays)


@pytest.mark.parametrize("option", [{"level": 95}, {"num_resamples": 0}])
def test_options_out_of_range_are_refused(option):
    with pytest.raises(ValueError, match=f"{[*option][0]}={[*option.values()][0]}"):
        bootstrap(np.mean, np.ones(3), **option)


def test_methods_with_other_arrays_are_no_pair():
    with pytest.raises(ValueError, match="1 and 2"):
        paired_bootstrap(auroc, (np.ones(3),), (np.ones(3), np.ones(3)))


def test_centred_resamples_take_the_bias_of_repeated_rows_away():
    # The maximum of a resample is never above that of all rows.
    rows = np.arange(50.0)
    plain = bootstrap(np.max, rows, num_resamples=200)
    moved = bootstrap(np.max, rows, num_resamples=200, centred=True)
    assert plain.high == plain.value and moved.high > moved.value > moved.low
    assert moved.high - moved.low == pytest.approx(plain.high - plain.low)
