"""Maps of the probability of a class over a plane, beside the rows that were learnt."""

import numpy as np

from bdlzoo.reports import canvas


def class_maps(ticks, panels, x, labelled, classes):
    """Plots one map for each model, with its boundary.

    Args:
        ticks: Pair of arrays `[W]` and `[H]`, places along both axes.
        panels: Dictionary from titles to arrays `[H, W]`, probabilities of class 1.
        x: Array `[N, 2]`, rows without labels.
        labelled: Array `[M, 2]`, rows with labels.
        classes: Array `[M]`, their classes, 0 or 1.

    Returns:
        `matplotlib.figure.Figure`.
    """
    figure = canvas.figure(3.6 * len(panels), 3.4)
    grid = figure.subplots(1, len(panels), squeeze=False, sharey=True)[0]
    classes = np.asarray(classes)
    for axes, (title, probability) in zip(grid, panels.items()):
        axes.pcolormesh(*ticks, probability, cmap="RdBu_r", vmin=0.0, vmax=1.0,
                        alpha=0.6, shading="nearest", rasterized=True)
        axes.contour(*ticks, probability, levels=[0.5], colors="black", linewidths=1.5)
        axes.plot(*np.transpose(x), ".", color=canvas.GREY, markersize=2.5,
                  label="without label")
        for label, colour in ((0, canvas.BLUE), (1, canvas.RED)):
            axes.plot(*np.transpose(labelled[classes == label]), "o", color=colour,
                      markeredgecolor="white", markersize=9, label=f"class {label}")
        canvas.label(axes, title, "", "")
    canvas.legend(grid[0], loc="lower left")
    return figure
