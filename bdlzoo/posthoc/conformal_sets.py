"""Threshold of conformal prediction sets, fitted on held-out data.

The scores and the guarantee are described in `bdlzoo.core.conformal`. Use other rows
than those that the temperature was fitted on; otherwise the guarantee holds only
approximately.
"""

import numpy as np

from bdlzoo.core import conformal

# Rounding must not separate equal probabilities, which isotonic curves often give.
_ROUNDING = 1e-5


def fit_conformal_sets(prediction, targets, uniforms, method="lac", level=0.9,
                       penalty=0.1, free_rank=1):
    """Finds the rule whose sets hold the true class with probability `level`.

    Args:
        prediction: Calibrated `ClassPrediction` for held-out inputs.
        targets: Observed class indices `[B]` of these inputs.
        uniforms: A uniform number for each row, `[B]`.
        method: `"lac"`, `"aps"` (randomised) or `"raps"`.
        level: Float, the coverage of the sets.
        penalty: Float, added by RAPS for each rank after `free_rank`.
        free_rank: Integer, number of ranks for which RAPS adds nothing.

    Returns:
        `SetRule`.

    Example:

        uniforms = bdlzoo.core.noise.uniform([len(y)], key)
        rule = bdlzoo.posthoc.fit_conformal_sets(prediction, y, uniforms, method="aps")
    """
    if penalty < 0 or free_rank < 0:
        raise ValueError("Expected a penalty and a rank of at least 0. Received: "
                         f"penalty={penalty}, free_rank={free_rank}")
    rule = conformal.SetRule(
        np.inf, cumulative=float(method != "lac"),
        penalty=float(penalty) if method == "raps" else 0.0,
        free_rank=float(free_rank) if method == "raps" else 0.0)
    targets = np.asarray(targets).astype(int).ravel()
    surprise, extra = (
        np.asarray(part)[np.arange(len(targets)), targets]
        for part in conformal.class_scores(prediction.log_mean, uniforms, rule))
    surprise, extra = conformal.set_threshold(surprise, extra, level)
    return rule._replace(threshold=surprise * (1.0 + _ROUNDING), extra=extra)
