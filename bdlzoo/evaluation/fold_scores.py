"""Scores of a benchmark over the folds of a set.

    rmse_f = std_f * sqrt(mean (y - mean of draws)**2)
    nll_f  = log std_f - mean log (1 / S * sum over s of p(y | x, w_s))

In the units that the targets had, `std_f` being what fold f was divided by. The
likelihood is that of the mixture over draws. The error is the standard error of
the mean over folds: their standard deviation over sqrt(F).
"""

import numpy as np
import tensorflow as tf

_ROWS = 4096  # Predicted at once: thousands of draws of each are in memory.


def fold_scores(model, split, target_scales, repeats=1):
    """Scores models that were trained side by side, each on its fold.

    Args:
        model: `PredictiveModel` of an `InterleavedNetwork`.
        split: `Split` of rows in turns, see `bdlzoo.data.load_folds`.
        target_scales: Pairs (mean, std) of the folds.
        repeats: Integer, copies of a fold: draws of one prediction.

    Returns:
        Dict: `rmse` and `nll`, means over folds, `rmse_error` and `nll_error`,
        their standard errors, `rmse_folds` and `nll_folds`, lists.
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
    """Scores of all folds from those of groups of them.

    Args:
        parts: Dicts that `fold_scores` gave.
        folds: For each of them the numbers of its folds.
    """
    order = np.argsort(np.concatenate(folds))
    return {key: value for name in ("rmse", "nll") for key, value in _summary(
        name, np.concatenate([p[f"{name}_folds"] for p in parts])[order]).items()}


def _together(prediction, repeats):
    """Copies of a fold as further draws of one prediction."""
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
        len(values) > 1) else None  # One fold says nothing of others.
    return {name: float(np.mean(values)), f"{name}_error": error,
            f"{name}_folds": [float(value) for value in values]}
