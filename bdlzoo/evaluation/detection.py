"""Detection of out-of-distribution inputs by an uncertainty.

    auroc            P(uncertainty of an outside row > of a known one), ties half
    aupr_out         average precision at finding outside rows    (AUPR+)
    aupr_in          average precision at finding known rows      (AUPR-)
    fpr95            share of outside rows accepted with 95 % of the known ones
    detection_error  min over thresholds of (known refused + outside accepted) / 2

Outside rows should have the higher uncertainty. Precision depends on the share of
outside rows, so both sets are cut to the size of the smaller one and the share is one
half.

Reference: Hendrycks and Gimpel, A Baseline for Detecting Misclassified and
Out-of-Distribution Examples, ICLR 2017; Liang, Li and Srikant, Enhancing the
Reliability of Out-of-distribution Image Detection in Neural Networks, ICLR 2018
(detection error).
"""

import keras
import numpy as np

from bdlzoo.evaluation.odin import odin_scores
from bdlzoo.evaluation.uncertainty_scores import judge, uncertainty_scores
from bdlzoo.metrics import ranking


def detection(known_scores, outside_scores):
    """Measures how well a score separates two sets.

    Args:
        known_scores: Uncertainty `[N]` of known rows; may be infinite.
        outside_scores: Uncertainty `[M]` of outside rows.

    Returns:
        Dictionary of floats: `auroc`, `aupr_out`, `aupr_in`, `fpr95` and
        `detection_error`.
    """
    known, outside = (np.asarray(scores, "float64")
                      for scores in (known_scores, outside_scores))
    scores = np.concatenate([known, outside])
    is_outside = np.repeat([False, True], [len(known), len(outside)])
    return {"auroc": ranking.auroc(scores, is_outside),
            "aupr_out": ranking.aupr_positive(scores, is_outside),
            "aupr_in": ranking.aupr_negative(scores, is_outside),
            "fpr95": ranking.fpr_at_tpr(-scores, ~is_outside, 0.95),
            "detection_error": _detection_error(known, outside)}


def out_of_distribution(model, known_x, sets, names=None, odin=None,
                        mahalanobis=None, num_samples=None, seed=0, verbose=0):
    """Scores known inputs and outside sets, and measures how well they are separated.

    Args:
        model: `PredictiveModel` of classes.
        known_x: Inputs `[N, ...]` like those of training, but not trained on.
        sets: Dictionary from a name to inputs `[M, ...]`, such as `outside_sets`
            returns.
        names: Names of scores in `uncertainty_scores.NAMES`; `None` takes all that
            the model has.
        odin: Dictionary of arguments of `odin_scores`, `{}` for its defaults;
            `None` leaves ODIN out.
        mahalanobis: Fitted `Mahalanobis`; `None` leaves it out.
        num_samples: Integer, number of draws; `None` takes that of the model.
        seed: Integer, seed of the draws.
        verbose: Integer, 1 shows a progress bar.

    Returns:
        Three dictionaries: the uncertainty `[N]` of the known inputs by score, the
        uncertainty `[M]` by set and score, and the results of `detection` by set and
        score.

    Example:

        _, _, found = bdlzoo.evaluation.out_of_distribution(
            model, x_test, {"noise": noise_images})
        found["noise"]["entropy"]["auroc"]
    """
    def scored(x):
        found = uncertainty_scores(*judge(model, x, num_samples, seed), names)
        if odin is not None:
            options = {"num_samples": num_samples, "seed": seed, **odin}
            found["odin"] = odin_scores(model, x, **options)
        if mahalanobis is not None:
            found["mahalanobis"] = mahalanobis(x)
        return found

    bar = keras.utils.Progbar(1 + len(sets), verbose=verbose, unit_name="set")
    known = scored(known_x)
    bar.add(1)
    outside = {}
    for name, x in sets.items():
        outside[name] = scored(x)
        bar.add(1)
    table = {name: {score: detection(*_balanced(known[score], values))
                    for score, values in scores.items()}
             for name, scores in outside.items()}
    return known, outside, table


def _balanced(known, outside):
    """Both sets, the larger one reduced to evenly spaced rows."""
    rows = min(len(known), len(outside))
    return [scores[np.linspace(0, len(scores) - 1, rows).round().astype(int)]
            for scores in (known, outside)]


def _detection_error(known, outside):
    # Rows up to a threshold are accepted; the first threshold accepts none.
    limits = np.unique(np.concatenate([known, outside]))
    accepted = [np.searchsorted(np.sort(scores), limits, side="right") / len(scores)
                for scores in (known, outside)]
    return float(min(0.5, np.min(1.0 - accepted[0] + accepted[1]) / 2.0))
