"""How well a score ranks: right before wrong, known before unknown.

    auroc         = P(score of a positive > of a negative) + P(equal) / 2
    aupr, ap      = sum over thresholds of precision * step of recall
    fpr at tpr    = share of negatives accepted with `tpr` of the positives
    risk(k)       = share of errors among the k most confident rows
    aurc          = mean of risk(k) over k = 1, ..., n
    e_aurc        = aurc - ((1 - accuracy) + accuracy * log(accuracy))

Functions of arrays on the host, in float64; results are shares, not percent.
Only the order of scores counts. Rows with equal scores pass a threshold
together, and where rows are kept one by one they count as their mean over all
orders: the order in which rows come never matters.

A softmax in float32 saturates: many confidences are exactly 1 and tie, so that
nothing is left to rank. Score in logits then (`s_max - logsumexp(others)`), where
infinite scores are welcome; a tie cannot be undone here.

scikit-learn has AUROC and average precision right, ties too, but refuses
infinite scores, answers NaN or 0 with a mere warning where a class is missing,
and would take ten times as long in a bootstrap: it is the tests' oracle.

Who is positive:

    detection of OOD      scores = uncertainty,   positives = OOD rows
    FPR95 of the same     scores = -uncertainty,  positives = known rows
    AUROC of failures     scores = confidence,    positives = right rows

Reference: Hendrycks and Gimpel, A Baseline for Detecting Misclassified and
Out-of-Distribution Examples, ICLR 2017; Geifman et al., Bias-Reduced Uncertainty
Estimation for Deep Neural Classifiers, ICLR 2019 (AURC and its excess).
"""

import math

import numpy as np


def auroc(scores, positives):
    """Chance that a positive scores above a negative, ties counting half.

    Args:
        scores: Floats of shape `[N]`, high for positives; infinite ones may be.
        positives: Booleans, or zeros and ones, of shape `[N]`.

    Raises:
        ValueError: Where a score is NaN, or one class is missing.
    """
    rows, hits = _both_classes(scores=scores, positives=positives)
    misses = rows - hits
    below = misses.sum() - np.cumsum(misses)
    return float(np.sum(hits * (below + misses / 2))
                 / (hits.sum() * misses.sum()))


def aupr_positive(scores, positives):
    """Average precision at finding the positives (AUPR+); see `auroc`.

    A step sum, without interpolation; a constant score has the base rate.
    """
    return _average_precision(
        *_both_classes(scores=scores, positives=positives))


def aupr_negative(scores, positives):
    """Average precision at finding the negatives by `-scores` (AUPR-)."""
    rows, hits = _both_classes(scores=scores, positives=positives)
    return _average_precision(rows[::-1], (rows - hits)[::-1])


def ap_success(errors, confidence):
    """Average precision at finding right rows by high confidence.

    Args:
        errors: Booleans, or zeros and ones, of shape `[N]`: wrong predictions.
        confidence: Floats of shape `[N]`.

    Raises:
        ValueError: Where a confidence is NaN, or all rows are right or wrong.
    """
    rows, hits = _both_classes(confidence=confidence, errors=errors)
    return _average_precision(rows, rows - hits)


def ap_errors(errors, confidence):
    """Average precision at finding errors by low confidence."""
    rows, hits = _both_classes(confidence=confidence, errors=errors)
    return _average_precision(rows[::-1], hits[::-1])


def fpr_at_tpr(scores, positives, tpr=0.95):
    """Share of negatives accepted where at least `tpr` of the positives are.

    The threshold is the highest that accepts so many, always the score of a
    positive and never interpolated; rows at the threshold are accepted.

    Args:
        scores: Floats of shape `[N]`, high for positives.
        positives: Booleans, or zeros and ones, of shape `[N]`: rows to accept,
            which are the right ones or the known ones.
        tpr: Float in (0, 1].
    """
    if not 0.0 < tpr <= 1.0:
        raise ValueError(f"Expected a share in (0, 1]. Received: tpr={tpr}")
    rows, hits = _both_classes(scores=scores, positives=positives)
    misses = rows - hits
    # A comparison of quotients: `ceil(tpr * count)` is off where it rounds up.
    last = np.searchsorted(np.cumsum(hits) / hits.sum(), tpr)
    return float(misses[:last + 1].sum() / misses.sum())


def risk_coverage(errors, confidence):
    """Risk of the most confident rows, for one row, two rows, up to all.

    Args:
        errors: Booleans, or zeros and ones, of shape `[N]`: wrong predictions.
        confidence: Floats of shape `[N]`.

    Returns:
        `coverage`, `1 / N` to 1, and `risk`, the share of errors among the rows
        kept; both `[N]`.
    """
    rows, hits = _blocks(confidence=confidence, errors=errors)
    kept = np.arange(1.0, rows.sum() + 1.0)
    block = np.repeat(np.arange(len(rows)), rows.astype(int))
    start = (np.cumsum(rows) - rows)[block]
    # In a random order, j of the m rows of a tie hold j / m of its errors.
    wrong = ((np.cumsum(hits) - hits)[block]
             + (kept - start) * hits[block] / rows[block])
    return kept / rows.sum(), wrong / kept


def aurc(errors, confidence, inner=False):
    """Area under the risk-coverage curve: 0 if all are right, 1 if all wrong.

    Args:
        errors: See `risk_coverage`.
        confidence: See `risk_coverage`.
        inner: Boolean, whether to take the trapezoid from coverage `1 / N` to
            `1 - 1 / N`, as the code of ConfidNet does: without the risk of
            all rows. For comparison with its tables.
    """
    coverage, risk = risk_coverage(errors, confidence)
    if inner:
        return float(np.trapezoid(risk[:-1], coverage[:-1]))
    return float(risk.mean())


def e_aurc(errors, confidence, inner=False):
    """`aurc` above that of a perfect ranking of as many errors.

    The perfect one is the limit of many rows, so that with `n` of them the best
    is not 0 but at most `1 / n`; it is never negative, but for `inner`.
    """
    area, accuracy = aurc(errors, confidence, inner), 1.0 - np.mean(errors)
    # The limit of `a * log(a)` is 0 where nothing is right.
    log = math.log(accuracy) if accuracy else 0.0
    return area - float((1.0 - accuracy) + accuracy * log)


def coverage_at_risk(errors, confidence, risk):
    """Largest share of rows that a threshold keeps with at most this risk.

    Tied rows are kept or left together: what no threshold can do is not
    promised. 0 where the most confident rows are already too often wrong.

    Args:
        errors: See `risk_coverage`.
        confidence: See `risk_coverage`.
        risk: Float in [0, 1], share of errors allowed among the rows kept.
    """
    if not 0.0 <= risk <= 1.0:
        raise ValueError(f"Expected a share in [0, 1]. Received: risk={risk}")
    rows, hits = _blocks(confidence=confidence, errors=errors)
    kept = np.cumsum(rows)
    allowed = np.cumsum(hits) / kept <= risk
    return float(np.max(kept, where=allowed, initial=0.0) / kept[-1])


def _average_precision(rows, hits):
    return float(np.sum(hits * np.cumsum(hits) / np.cumsum(rows)) / hits.sum())


def _both_classes(**columns):
    rows, hits = _blocks(**columns)
    if not 0 < hits.sum() < rows.sum():
        flags = list(columns)[1]
        raise ValueError(
            "Undefined where one class is missing: there is nothing to rank. "
            f"Expected `{flags}` with zeros and ones. Received: "
            f"{flags}={hits.sum():.0f} of {rows.sum():.0f}. Use more rows, or "
            "`aurc`, which has a value here.")
    return rows, hits


def _blocks(**columns):
    """Rows, and flagged rows, at each distinct score from the highest down."""
    (name, scores), (flag, flags) = columns.items()
    scores, flags = np.asarray(scores, "float64"), np.asarray(flags)
    if scores.ndim != 1 or scores.shape != flags.shape or not scores.size:
        raise ValueError(
            "Expected two arrays of one shape [N], N > 0. Received: "
            f"{name}.shape={scores.shape}, {flag}.shape={flags.shape}")
    if np.isnan(scores).any():
        raise ValueError(
            f"Expected scores that can be ranked. Received: `{name}` with "
            f"{np.isnan(scores).sum()} NaN. Find out where they come from.")
    if not ((flags == 0) | (flags == 1)).all():
        raise ValueError(
            "Expected booleans, or zeros and ones. Received: "
            f"{flag}={np.unique(flags)[:5]}. Compare labels with predictions.")
    _, block, rows = np.unique(-scores, return_inverse=True, return_counts=True)
    return rows.astype("float64"), np.bincount(block, weights=flags)
