"""Scores of a benchmark over the folds of a data set.

    rmse_f = std_f * sqrt(mean (y - mean of draws)**2)
    nll_f  = log std_f - mean log (1 / S * sum over s of p(y | x, w_s))

The targets of fold f were divided by `std_f`; scores are in their original units. The
likelihood is that of the mixture over draws. The error is the standard error of the
mean over folds: the standard deviation over folds divided by sqrt(F).
"""

import numpy as np
import tensorflow as tf

_ROWS = 4096  # Of one prediction, which holds thousands of draws of each.


def fold_scores(model, split, target_scales, repeats=1):
    """Scores models that were trained side by side, each on its fold.

    Args:
        model: `PredictiveModel` of an `InterleavedNetwork`.
        split: `Split` in which rows of the folds alternate, such as
            `bdlzoo.data.load_folds` returns.
        target_scales: Pairs `(mean, std)`, one for each fold.
        repeats: Integer, number of models of a fold. Their draws are joined into one
            prediction.

    Returns:
        Dict with `rmse` and `nll` (means over folds), `rmse_error` and `nll_error`
        (their standard errors), `rmse_folds` and `nll_folds` (lists over folds).
    """
    folds = len(target_scales)
    std = np.stack([np.reshape(scale[1], [-1]) for scale in target_scales])  # [F, D]
    step = max(1, _ROWS // model.row_group) * model.row_group
    squares, log_probs = [], []
    for start in range(0, len(split.x), step):
        x, y = (part[start:start + step] for part in split)
        draws = model.sample_outputs(x)  # [S, N * F * repeats, D]
        prediction = _together(model.likelihood.prediction(draws), repeats)
        y = y.reshape(-1, repeats, std.shape[1])[:, 0]  # [N * F, D]
        squares.append((y - prediction.mean)**2)
        log_probs.append(prediction.log_prob(y))
    squares = np.concatenate(squares).reshape(-1, folds, std.shape[1]) * std**2
    log_probs = np.concatenate(log_probs).reshape(-1, folds)
    return {**_summary("rmse", np.sqrt(squares.mean(axis=(0, 2)))),
            **_summary("nll", np.log(std).sum(axis=1) - log_probs.mean(axis=0))}


def merge(parts, folds):
    """Joins the scores of groups of folds into those of all folds.

    Args:
        parts: List of dicts that `fold_scores` returned.
        folds: List, the numbers of the folds of each part.
    """
    order = np.argsort(np.concatenate(folds))
    return {key: value for name in ("rmse", "nll") for key, value in _summary(
        name, np.concatenate([p[f"{name}_folds"] for p in parts])[order]).items()}


def _together(prediction, repeats):
    """Joins the draws of the models of a fold into one prediction."""
    if repeats == 1:
        return prediction

    def part(values):
        draws, rows, size = values.shape  # Rows are N * F * repeats.
        values = tf.reshape(values, [draws, rows // repeats, repeats, size])
        return tf.reshape(tf.transpose(values, [2, 0, 1, 3]),
                          [repeats * draws, rows // repeats, size])

    return type(prediction)(part(prediction.means), part(prediction.variances))


def _summary(name, values):
    error = float(np.std(values, ddof=1) / np.sqrt(len(values))) if (
        len(values) > 1) else None  # One fold has no spread.
    return {name: float(np.mean(values)), f"{name}_error": error,
            f"{name}_folds": [float(value) for value in values]}
