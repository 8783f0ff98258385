"""Ranking metrics against their definitions, pair by pair and order by order."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as sklearn_metrics

from bdlzoo.metrics import ranking

CONFIDENCE = np.array([0.99, 0.95, 0.9, 0.8, 0.7, 0.6, 0.55, 0.4])
ERRORS = np.array([0, 0, 1, 0, 0, 1, 0, 1])
ON_SCORES = [ranking.auroc, ranking.aupr_positive, ranking.aupr_negative,
             ranking.fpr_at_tpr]
ON_ERRORS = [ranking.ap_errors, ranking.ap_success, ranking.aurc,
             ranking.e_aurc]


def _rows(values, max_size=30):
    """Pairs of a score and a flag, both classes among the flags."""
    rows = st.lists(st.tuples(values, st.booleans()), min_size=2,
                    max_size=max_size)
    return rows.filter(lambda rows: len({flag for _, flag in rows}) == 2).map(
        lambda rows: tuple(map(np.array, zip(*rows, strict=True))))


FEW = st.integers(0, 3).map(float)  # Nearly every score is tied.
MANY = st.floats(-10.0, 10.0).map(lambda value: round(value, 3))
ROWS = st.one_of(_rows(FEW), _rows(MANY))


def _all_metrics(scores, flags):
    return [*(f(scores, flags) for f in ON_SCORES),
            *(f(flags, scores) for f in ON_ERRORS),
            ranking.coverage_at_risk(flags, scores, 0.3),
            *ranking.risk_coverage(flags, scores)[1]]


def test_fixture_of_failure_prediction():
    right = 1 - ERRORS
    assert ranking.auroc(CONFIDENCE, right) == pytest.approx(0.733333, abs=1e-6)
    assert ranking.ap_success(ERRORS, CONFIDENCE) == pytest.approx(
        0.852857, abs=1e-6)
    assert ranking.ap_errors(ERRORS, CONFIDENCE) == pytest.approx(
        0.722222, abs=1e-6)
    assert ranking.fpr_at_tpr(CONFIDENCE, right) == pytest.approx(2 / 3)
    assert ranking.aurc(ERRORS, CONFIDENCE, inner=True) == pytest.approx(
        0.157440, abs=1e-6)
    assert ranking.e_aurc(ERRORS, CONFIDENCE, inner=True) == pytest.approx(
        0.076193, abs=1e-6)


def test_fixture_of_the_whole_curve():
    coverage, risk = ranking.risk_coverage(ERRORS, CONFIDENCE)
    expected = [0, 0, 1 / 3, 1 / 4, 1 / 5, 2 / 6, 2 / 7, 3 / 8]
    np.testing.assert_allclose(risk, expected, rtol=1e-15)
    np.testing.assert_array_equal(coverage, np.arange(1, 9) / 8)
    assert ranking.aurc(ERRORS, CONFIDENCE) == pytest.approx(np.mean(expected))
    # Half of the rows have a risk of 1 / 4, and 5 of 8 one of exactly 1 / 5.
    for risk, coverage in [(0.0, 2 / 8), (0.19, 2 / 8), (0.2, 5 / 8),
                           (0.3, 7 / 8), (0.375, 1.0)]:
        assert ranking.coverage_at_risk(ERRORS, CONFIDENCE, risk) == coverage


@settings(max_examples=60, deadline=None)
@given(ROWS)
def test_auroc_counts_pairs(rows):
    scores, positives = rows
    gaps = scores[positives][:, None] - scores[~positives]
    expected = np.mean((gaps > 0) + 0.5 * (gaps == 0))
    assert ranking.auroc(scores, positives) == pytest.approx(expected, abs=1e-14)


@settings(max_examples=60, deadline=None)
@given(ROWS)
def test_average_precision_sums_over_thresholds(rows):
    scores, positives = rows
    expected, recall = 0.0, 0.0
    for threshold in sorted(set(scores), reverse=True):
        found = positives[scores >= threshold]
        step = found.sum() / positives.sum() - recall
        expected, recall = expected + found.mean() * step, recall + step
    assert ranking.aupr_positive(scores, positives) == pytest.approx(expected)
    assert ranking.aupr_negative(-scores, ~positives) == pytest.approx(expected)
    assert ranking.ap_errors(positives, -scores) == pytest.approx(expected)
    assert ranking.ap_success(~positives, scores) == pytest.approx(expected)


@settings(max_examples=60, deadline=None)
@given(ROWS, st.sampled_from([0.05, 0.5, 0.55, 0.9, 0.95, 1.0]))
def test_fpr_is_the_least_of_all_thresholds_with_the_tpr(rows, tpr):
    scores, positives = rows
    shares = [(np.mean(scores[positives] >= t), np.mean(scores[~positives] >= t))
              for t in scores]
    expected = min(false for true, false in shares if true >= tpr)
    assert ranking.fpr_at_tpr(scores, positives, tpr) == expected


def test_tpr_is_met_by_counting_not_by_rounding():
    """0.55 * 100 is above 55 in floats, yet 55 of 100 are enough."""
    scores = np.arange(101.0)[::-1]
    positives = np.arange(101) != 55  # The negative is behind 55 positives.
    assert ranking.fpr_at_tpr(scores, positives, 0.55) == 0.0
    assert ranking.fpr_at_tpr(scores, positives, 0.56) == 1.0


@settings(max_examples=30, deadline=None)
@given(ROWS)
def test_scikit_learn_agrees_on_finite_scores(rows):
    scores, positives = rows
    assert ranking.auroc(scores, positives) == pytest.approx(
        sklearn_metrics.roc_auc_score(positives, scores), abs=1e-12)
    assert ranking.aupr_positive(scores, positives) == pytest.approx(
        sklearn_metrics.average_precision_score(positives, scores), abs=1e-12)
    assert ranking.aupr_negative(scores, positives) == pytest.approx(
        sklearn_metrics.average_precision_score(~positives, -scores), abs=1e-12)
    false, true, _ = sklearn_metrics.roc_curve(
        positives, scores, drop_intermediate=False)
    assert ranking.fpr_at_tpr(scores, positives) == pytest.approx(
        false[np.argmax(true >= 0.95)], abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(_rows(FEW, max_size=6))
def test_risk_is_the_mean_over_all_orders_of_ties(rows):
    confidence, errors = rows
    orders = [list(order) for order in itertools.permutations(range(len(errors)))
              if (np.diff(confidence[list(order)]) <= 0).all()]
    kept = np.arange(1, len(errors) + 1)
    expected = np.mean([np.cumsum(errors[order]) / kept for order in orders], 0)
    coverage, risk = ranking.risk_coverage(errors, confidence)
    np.testing.assert_allclose(risk, expected, atol=1e-14)
    np.testing.assert_allclose(coverage, kept / len(errors))
    assert ranking.aurc(errors, confidence) == pytest.approx(expected.mean())


@settings(max_examples=60, deadline=None)
@given(ROWS, st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]))
def test_coverage_at_risk_is_the_best_of_all_thresholds(rows, risk):
    confidence, errors = rows
    kept = [confidence >= threshold for threshold in confidence]
    expected = max([k.mean() for k in kept if errors[k].mean() <= risk],
                   default=0.0)
    assert ranking.coverage_at_risk(errors, confidence, risk) == expected


@settings(max_examples=60, deadline=None)
@given(ROWS, st.randoms(use_true_random=False))
def test_only_the_order_of_scores_counts(rows, random):
    scores, flags = rows
    expected = _all_metrics(scores, flags)
    order = random.sample(range(len(flags)), len(flags))
    assert _all_metrics(scores[order], flags[order]) == expected
    assert _all_metrics(np.arctan(scores) * 3.0 - 7.0, flags) == expected


@settings(max_examples=60, deadline=None)
@given(ROWS)
def test_swapping_the_classes_and_the_sign_changes_nothing(rows):
    scores, positives = rows
    assert ranking.auroc(scores, positives) == ranking.auroc(-scores, ~positives)
    assert ranking.auroc(scores, positives) == pytest.approx(
        1.0 - ranking.auroc(-scores, positives))
    assert ranking.aupr_negative(scores, positives) == ranking.aupr_positive(
        -scores, ~positives)


@settings(max_examples=60, deadline=None)
@given(ROWS)
def test_excess_risk_is_near_zero_for_a_perfect_ranking_and_never_below(rows):
    confidence, errors = rows
    perfect = ranking.e_aurc(errors, 1.0 - errors)
    reverse = ranking.e_aurc(errors, errors * 1.0)
    assert -1e-12 <= perfect <= errors.mean() / len(errors) + 1e-12
    assert perfect - 1e-12 <= ranking.e_aurc(errors, confidence)
    assert ranking.e_aurc(errors, confidence) <= reverse + 1e-12


def test_perfect_score_reaches_the_ends():
    confidence = 1.0 - ERRORS
    assert ranking.auroc(confidence, 1 - ERRORS) == 1.0
    assert ranking.fpr_at_tpr(confidence, 1 - ERRORS) == 0.0
    assert ranking.ap_errors(ERRORS, confidence) == 1.0
    assert ranking.ap_success(ERRORS, confidence) == 1.0
    assert ranking.coverage_at_risk(ERRORS, confidence, 0.0) == 5 / 8


def test_constant_score_has_the_base_rate():
    """As saturated confidences do: in whatever order their rows come."""
    for order in (ERRORS, np.sort(ERRORS), np.sort(ERRORS)[::-1]):
        scores = np.ones(8)
        assert ranking.auroc(scores, order) == 0.5
        assert ranking.aupr_positive(scores, order) == 3 / 8
        assert ranking.aupr_negative(scores, order) == 5 / 8
        assert ranking.fpr_at_tpr(scores, order) == 1.0
        assert ranking.aurc(order, scores) == 3 / 8
        assert ranking.coverage_at_risk(order, scores, 0.3) == 0.0
        assert ranking.coverage_at_risk(order, scores, 0.375) == 1.0


def test_infinite_scores_are_ranked_and_tie_among_themselves():
    scores = np.array([np.inf, np.inf, np.inf, 2.0, 1.0, -np.inf, -np.inf, 0.0])
    finite = np.array([9.0, 9.0, 9.0, 2.0, 1.0, -9.0, -9.0, 0.0])
    assert _all_metrics(scores, ERRORS) == _all_metrics(finite, ERRORS)


@pytest.mark.parametrize("metric", ON_SCORES)
@pytest.mark.parametrize("positives", [[0, 0, 0], [1, 1, 1]])
def test_one_class_alone_cannot_be_ranked(metric, positives):
    with pytest.raises(ValueError, match="positives=[03] of 3"):
        metric([0.1, 0.2, 0.3], positives)


@pytest.mark.parametrize("metric", [ranking.ap_errors, ranking.ap_success])
@pytest.mark.parametrize("errors", [[0, 0, 0], [1, 1, 1]])
def test_all_right_or_all_wrong_has_no_average_precision(metric, errors):
    with pytest.raises(ValueError, match="errors=[03] of 3"):
        metric(errors, [0.1, 0.2, 0.3])


def test_all_right_or_all_wrong_has_a_risk():
    confidence = [0.1, 0.2, 0.2]
    for error in (0, 1):
        errors = [error] * 3
        assert ranking.aurc(errors, confidence) == error
        assert ranking.e_aurc(errors, confidence) == 0.0
        assert ranking.coverage_at_risk(errors, confidence, 0.5) == 1 - error


@pytest.mark.parametrize("metric", ON_SCORES)
def test_scores_that_cannot_be_read_are_refused(metric):
    with pytest.raises(ValueError, match="`scores` with 1 NaN"):
        metric([0.1, np.nan, 0.3], [0, 1, 1])
    with pytest.raises(ValueError, match=r"scores.shape=\(3, 1\)"):
        metric(np.ones((3, 1)), np.array([0, 1, 1]))
    with pytest.raises(ValueError, match=r"scores.shape=\(0,\)"):
        metric([], [])
    with pytest.raises(ValueError, match="positives="):
        metric([0.1, 0.2, 0.3], [0, 1, 2])


@pytest.mark.parametrize("metric", [*ON_ERRORS, ranking.risk_coverage])
def test_errors_that_cannot_be_read_are_refused(metric):
    with pytest.raises(ValueError, match="`confidence` with 2 NaN"):
        metric([0, 1, 1], [0.1, np.nan, np.nan])
    with pytest.raises(ValueError, match=r"errors.shape=\(2,\)"):
        metric([0, 1], [0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match="errors="):
        metric([0, 1, np.nan], [0.1, 0.2, 0.3])


def test_percent_is_refused_where_shares_are_meant():
    with pytest.raises(ValueError, match="tpr=95"):
        ranking.fpr_at_tpr(CONFIDENCE, 1 - ERRORS, 95)
    with pytest.raises(ValueError, match="risk=5"):
        ranking.coverage_at_risk(ERRORS, CONFIDENCE, 5)
