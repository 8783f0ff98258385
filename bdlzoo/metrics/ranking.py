"""Metrics of ranking: right rows before wrong ones, known before unknown.

    auroc         = P(score of a positive > of a negative) + P(equal) / 2
    aupr, ap      = sum over thresholds of precision * step of recall
    fpr at tpr    = share of negatives accepted with `tpr` of the positives
    risk(k)       = share of errors among the k most confident rows
    aurc          = mean of risk(k) over k = 1, ..., n
    e_aurc        = aurc - ((1 - accuracy) + accuracy * log(accuracy))

These are functions of NumPy arrays, computed in float64. Results are shares, not per
cent. Only the order of scores counts. Rows with equal scores pass a threshold together;
where rows are kept one by one, the result is the mean over all orders of such rows. So
the order of the input rows does not matter.

A softmax in float32 saturates: many confidences are exactly 1 and cannot be ranked.
Compute scores from logits then (`s_max - logsumexp(others)`); infinite scores are
allowed.

scikit-learn also computes AUROC and average precision, with ties, but it refuses
infinite scores, returns NaN or 0 with a warning if a class is missing, and takes ten
times as long in a bootstrap. The tests compare with it.

Which rows are positive:

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
    """Computes the probability that a positive has a higher score than a negative.

    Ties count one half.

    Args:
        scores: Floats `[N]`, high for positives; they may be infinite.
        positives: Booleans, or zeros and ones, `[N]`.

    Returns:
        Float in [0, 1].

    Raises:
        ValueError: If a score is NaN, or one class is missing.

    Example:

        bdlzoo.metrics.auroc(prediction.predictive_entropy, is_unknown)
    """
    rows, hits = _both_classes(scores=scores, positives=positives)
    misses = rows - hits
    below = misses.sum() - np.cumsum(misses)
    return float(np.sum(hits * (below + misses / 2))
                 / (hits.sum() * misses.sum()))


def aupr_positive(scores, positives):
    """Computes the average precision of finding the positives (AUPR+).

    The sum has steps, without interpolation; a constant score gives the share of
    positives.

    Args:
        scores: Floats `[N]`, high for positives; they may be infinite.
        positives: Booleans, or zeros and ones, `[N]`.

    Returns:
        Float in [0, 1].

    Example:

        bdlzoo.metrics.aupr_positive(prediction.predictive_entropy, is_unknown)
    """
    return _average_precision(
        *_both_classes(scores=scores, positives=positives))


def aupr_negative(scores, positives):
    """Computes the average precision of finding the negatives (AUPR-).

    Args:
        scores: Floats `[N]`, low for negatives; they may be infinite.
        positives: Booleans, or zeros and ones, `[N]`.

    Returns:
        Float in [0, 1].

    Example:

        bdlzoo.metrics.aupr_negative(prediction.predictive_entropy, is_unknown)
    """
    rows, hits = _both_classes(scores=scores, positives=positives)
    return _average_precision(rows[::-1], (rows - hits)[::-1])


def ap_success(errors, confidence):
    """Computes the average precision of finding right rows by high confidence.

    Args:
        errors: Booleans, or zeros and ones, `[N]`: whether predictions are wrong.
        confidence: Floats `[N]`.

    Returns:
        Float in [0, 1].

    Raises:
        ValueError: If a confidence is NaN, or all rows are right, or all are wrong.

    Example:

        errors = prediction.label != y
        bdlzoo.metrics.ap_success(errors, prediction.confidence)
    """
    rows, hits = _both_classes(confidence=confidence, errors=errors)
    return _average_precision(rows, rows - hits)


def ap_errors(errors, confidence):
    """Computes the average precision of finding errors by low confidence.

    Args:
        errors: Booleans, or zeros and ones, `[N]`: whether predictions are wrong.
        confidence: Floats `[N]`.

    Returns:
        Float in [0, 1].

    Example:

        errors = prediction.label != y
        bdlzoo.metrics.ap_errors(errors, prediction.confidence)
    """
    rows, hits = _both_classes(confidence=confidence, errors=errors)
    return _average_precision(rows[::-1], hits[::-1])


def fpr_at_tpr(scores, positives, tpr=0.95):
    """Computes the share of negatives that pass with `tpr` of the positives.

    The threshold is the highest score of a positive at which at least the share `tpr`
    of the positives passes. It is not interpolated; rows at the threshold pass.

    Args:
        scores: Floats `[N]`, high for positives.
        positives: Booleans, or zeros and ones, `[N]`: rows that should pass, such as
            the right ones or the known ones.
        tpr: Float in (0, 1], share of the positives that must pass.

    Returns:
        Float in [0, 1].

    Example:

        bdlzoo.metrics.fpr_at_tpr(prediction.predictive_entropy, is_unknown, tpr=0.95)
    """
    if not 0.0 < tpr <= 1.0:
        raise ValueError(f"Expected a share in (0, 1]. Received: tpr={tpr}")
    rows, hits = _both_classes(scores=scores, positives=positives)
    misses = rows - hits
    # Quotients are compared, because `ceil(tpr * count)` may round up wrongly.
    last = np.searchsorted(np.cumsum(hits) / hits.sum(), tpr)
    return float(misses[:last + 1].sum() / misses.sum())


def risk_coverage(errors, confidence):
    """Computes the risk of the k most confident rows, for k from 1 to N.

    Args:
        errors: Booleans, or zeros and ones, `[N]`: whether predictions are wrong.
        confidence: Floats `[N]`.

    Returns:
        Pair of arrays `[N]`: `coverage`, from `1 / N` to 1, and `risk`, the share of
        errors among the rows that are kept.

    Example:

        errors = prediction.label != y
        coverage, risk = bdlzoo.metrics.risk_coverage(errors, prediction.confidence)
    """
    rows, hits = _blocks(confidence=confidence, errors=errors)
    kept = np.arange(1.0, rows.sum() + 1.0)
    block = np.repeat(np.arange(len(rows)), rows.astype(int))
    start = (np.cumsum(rows) - rows)[block]
    # In random order, j of m tied rows have on average j / m of their errors.
    wrong = ((np.cumsum(hits) - hits)[block]
             + (kept - start) * hits[block] / rows[block])
    return kept / rows.sum(), wrong / kept


def aurc(errors, confidence, inner=False):
    """Computes the area under the risk-coverage curve.

    It is 0 if all predictions are right, and 1 if all are wrong.

    Args:
        errors: Booleans, or zeros and ones, `[N]`: whether predictions are wrong.
        confidence: Floats `[N]`.
        inner: Bool, whether to use the trapezoid rule from coverage `1 / N` to
            `1 - 1 / N`, as the code of ConfidNet does, for comparison with its tables.

    Returns:
        Float in [0, 1].

    Example:

        errors = prediction.label != y
        bdlzoo.metrics.aurc(errors, prediction.confidence)
    """
    coverage, risk = risk_coverage(errors, confidence)
    if inner:
        return float(np.trapezoid(risk[:-1], coverage[:-1]))
    return float(risk.mean())


def e_aurc(errors, confidence, inner=False):
    """Computes `aurc` minus that of a perfect ranking with as many errors.

    The perfect value is that of infinitely many rows, so the best ranking of `n` rows
    gives not 0 but at most `1 / n`. Without `inner` the result is never negative.

    Args:
        errors: Booleans, or zeros and ones, `[N]`: whether predictions are wrong.
        confidence: Floats `[N]`.
        inner: Bool, whether to leave out the last row of the curve, as the code of
            ConfidNet does.

    Returns:
        Float.

    Example:

        errors = prediction.label != y
        bdlzoo.metrics.e_aurc(errors, prediction.confidence)
    """
    area, accuracy = aurc(errors, confidence, inner), 1.0 - np.mean(errors)
    # If nothing is right, `a * log(a)` has the limit 0.
    log = math.log(accuracy) if accuracy else 0.0
    return area - float((1.0 - accuracy) + accuracy * log)


def coverage_at_risk(errors, confidence, risk):
    """Computes the largest share of rows that can be kept with at most this risk.

    Rows are kept by a threshold, so that tied rows are kept together. The result is 0
    if even the most confident rows are wrong too often.

    Args:
        errors: Booleans, or zeros and ones, `[N]`: whether predictions are wrong.
        confidence: Floats `[N]`.
        risk: Float in [0, 1], share of errors allowed among the rows that are kept.

    Returns:
        Float in [0, 1].

    Example:

        errors = prediction.label != y
        bdlzoo.metrics.coverage_at_risk(errors, prediction.confidence, risk=0.01)
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
            f"Expected `{flags}` with zeros and ones: there is no ranking if one class "
            f"is missing. Received: {flags}={hits.sum():.0f} of {rows.sum():.0f}. Use "
            "more rows, or `aurc`, which is defined here.")
    return rows, hits


def _blocks(**columns):
    """Numbers of rows and of flagged rows at each score, the highest first."""
    (name, scores), (flag, flags) = columns.items()
    scores, flags = np.asarray(scores, "float64"), np.asarray(flags)
    if scores.ndim != 1 or scores.shape != flags.shape or not scores.size:
        raise ValueError(
            "Expected two arrays of one shape [N], N > 0. Received: "
            f"{name}.shape={scores.shape}, {flag}.shape={flags.shape}")
    if np.isnan(scores).any():
        raise ValueError(
            f"Expected scores that can be ranked. Received: `{name}` with "
            f"{np.isnan(scores).sum()} NaN. Remove them, or look for their cause.")
    if not ((flags == 0) | (flags == 1)).all():
        raise ValueError(
            "Expected booleans, or zeros and ones. Received: "
            f"{flag}={np.unique(flags)[:5]}. Compare labels with predictions.")
    _, block, rows = np.unique(-scores, return_inverse=True, return_counts=True)
    return rows.astype("float64"), np.bincount(block, weights=flags)
