"""Plot of the test error against the width of a model."""

import numpy as np

from bdlzoo.reports import canvas


def width_curves(errors, threshold=None):
    """Plots mean and range over seeds of the error of several models.

    Args:
        errors: Dict from the name of a model to a dict from its widths, integers, to
            errors of the seeds, shares in `[0, 1]`.
        threshold: Float, a width to mark with a line, such as that from which all
            labels can be fit; `None` for none.

    Returns:
        `matplotlib.figure.Figure`; widths are on a log scale, errors in per cent.
    """
    figure = canvas.figure(6, 4)
    axes = figure.subplots()
    for (name, curve), colour in zip(errors.items(), canvas.colours()):
        widths = sorted(curve)
        percent = 100.0 * np.array([curve[width] for width in widths])  # [W, seeds]
        axes.fill_between(widths, percent.min(axis=1), percent.max(axis=1),
                          color=colour, alpha=0.2, linewidth=0)
        axes.plot(widths, percent.mean(axis=1), "o-", color=colour, markersize=4,
                  linewidth=1.8, label=name)
    if threshold is not None:
        axes.axvline(threshold, color=canvas.GREY, linewidth=1.0, linestyle="--")
    axes.set_xscale("log")
    canvas.label(axes, "Test error over width", "Width", "Test error [%]")
    canvas.legend(axes)
    return figure
