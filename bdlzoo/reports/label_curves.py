"""Plot of the test accuracy against the number of labels."""

import numpy as np

from bdlzoo.reports import canvas


def label_curves(labels, accuracies, goal=None, log_labels=False):
    """Plots mean and range over seeds of the accuracy of acquisition functions.

    Args:
        labels: Array `[R]`, number of labels in each round.
        accuracies: Dict from the name of an acquisition function to its test
            accuracies, an array `[seeds, R]` of shares in `[0, 1]`.
        goal: Float, an accuracy to mark with a line, or `None`.
        log_labels: Bool, whether numbers of labels stand on a logarithmic axis, each
            written out.

    Returns:
        `matplotlib.figure.Figure`; accuracies are in per cent, bands go from the
        lowest to the highest seed.

    Example:

        figure = bdlzoo.reports.label_curves(
            [20, 30, 40], {"bald": [[0.5, 0.7, 0.8]], "random": [[0.5, 0.6, 0.7]]})
    """
    figure = canvas.figure(6, 4)
    axes = figure.subplots()
    for (name, values), colour in zip(accuracies.items(), canvas.colours()):
        percent = 100.0 * np.asarray(values)
        axes.fill_between(labels, percent.min(axis=0), percent.max(axis=0),
                          color=colour, alpha=0.2, linewidth=0)
        axes.plot(labels, percent.mean(axis=0), "o-", color=colour, markersize=3,
                  linewidth=1.8, label=name.replace("_", " "))
    if goal is not None:
        axes.axhline(100.0 * goal, color=canvas.GREY, linewidth=1.0,
                     linestyle="--")
    if log_labels:
        axes.set_xscale("log")
        axes.set_xticks(labels, [f"{label:,}" for label in labels])
        axes.minorticks_off()
    seeds = len(percent)
    title = "Test accuracy over labels" + (
        f": mean and range of {seeds} seeds" if seeds > 1 else "")
    canvas.label(axes, title, "Labels", "Test accuracy [%]")
    canvas.legend(axes, loc="lower right")
    return figure
