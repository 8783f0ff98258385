"""ROC curves of an uncertainty that separates outside sets from the known one."""

import numpy as np

from bdlzoo.metrics import ranking
from bdlzoo.reports import canvas


def detection_curves(scores, label):
    """Plots a ROC curve for each outside set, with its area in the legend.

    Args:
        scores: Dict from the name of an outside set to a pair of arrays, the scores
            of known rows and those of the set. Outside rows should score higher.
        label: String, name of the scores.

    Returns:
        `matplotlib.figure.Figure`.

    Example:

        known, outside = np.zeros(50), np.arange(50) / 50
        figure = bdlzoo.reports.detection_curves({"noise": (known, outside)}, "Entropy")
    """
    figure = canvas.figure(4.8, 4.5)
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], "--", color=canvas.GREY, linewidth=1)
    colours = canvas.colours()
    next(colours)  # The colour of the test set in `uncertainty_histogram`.
    for (name, (known, outside)), colour in zip(scores.items(), colours):
        both = np.concatenate([known, outside])
        flags = np.repeat([0, 1], [len(known), len(outside)])
        area = ranking.auroc(both, flags)
        axes.plot(*_curve(known, outside), color=colour, linewidth=1.8,
                  label=f"{name}: AUROC {area:.3f}")
    axes.set_aspect("equal")
    canvas.label(axes, f"Outside sets detected by {label}",
                 "Share of known rows flagged", "Share of outside rows flagged")
    canvas.legend(axes, loc="lower right")
    return figure


def _curve(known, outside):
    """Shares of known and of outside rows at or above each threshold."""
    limits = np.unique(np.concatenate([known, outside]))[::-1]
    # Equal scores share a threshold, so a tie gives a slope and not a step.
    return [np.concatenate([[0.0], 1.0 - np.searchsorted(
        np.sort(rows), limits, side="left") / len(rows)])
        for rows in (known, outside)]
