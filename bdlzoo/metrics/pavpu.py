"""PAvPU: whether a model is sure where it is right, and unsure where it is wrong.

    p(accurate | certain)    = n_ac / (n_ac + n_ic)
    p(uncertain | inaccurate) = n_iu / (n_iu + n_ic)
    PAvPU                    = (n_ac + n_iu) / (n_ac + n_au + n_ic + n_iu)

Counts are of patches of pixels. A patch is accurate if more than half of its pixels
are right, and uncertain if its mean uncertainty is at least the threshold. Pixels that
do not count are left out of their patch.

Reference: Mukhoti and Gal, Evaluating Bayesian Deep Learning Methods for Semantic
Segmentation, 2018.
"""

import numpy as np


def pavpu(right, uncertainty, threshold=None, patch=4, counts=None):
    """Computes the scores at a threshold of the uncertainty.

    Args:
        right: Bools `[N, H, W]`, pixels whose prediction is right.
        uncertainty: Floats `[N, H, W]`.
        threshold: Float; `None` is the mean uncertainty of the pixels that count.
        patch: Integer, height and width of a patch; rows and columns at the end that
            fill none are left out.
        counts: Bools `[N, H, W]`, pixels that count; `None` for all.

    Returns:
        Dictionary with `pavpu`, `accurate_if_certain` and `uncertain_if_inaccurate`,
        each NaN where there is nothing to divide by.

    Example:

        bdlzoo.metrics.pavpu(label == y, prediction.mutual_information)["pavpu"]
    """
    right, uncertainty = np.asarray(right), np.asarray(uncertainty, "float64")
    counts = np.ones(right.shape, bool) if counts is None else np.asarray(counts)
    shapes = {right.shape, uncertainty.shape, counts.shape}
    if len(shapes) > 1 or right.ndim != 3 or min(right.shape[1:]) < patch:
        raise ValueError("Expected maps [N, H, W] of one shape, at least a patch of "
                         f"{patch} pixels. Received: shapes={sorted(shapes)}")
    threshold = uncertainty[counts].mean() if threshold is None else threshold
    pixels = _sums(counts, patch)
    there = pixels > 0
    accurate = _sums(right & counts, patch)[there] > 0.5 * pixels[there]
    mean = _sums(np.where(counts, uncertainty, 0.0), patch)[there] / pixels[there]
    uncertain = mean >= threshold

    def share(hits, among):
        return float(hits.sum() / among.sum()) if among.any() else float("nan")

    return {"pavpu": share(accurate != uncertain, np.ones_like(accurate)),
            "accurate_if_certain": share(accurate & ~uncertain, ~uncertain),
            "uncertain_if_inaccurate": share(uncertain & ~accurate, ~accurate)}


def _sums(values, patch):
    """Sums over patches, `[N, H / patch, W / patch]`."""
    rows, height, width = values.shape
    down, right = height // patch, width // patch
    return values[:, :down * patch, :right * patch].reshape(
        rows, down, patch, right, patch).sum(axis=(2, 4), dtype="float64")
