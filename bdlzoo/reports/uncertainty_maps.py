"""Maps of the confidence of classifiers with two inputs, side by side.

    colour = confidence, from 1/2 (a guess between two classes) to 1

On a boundary two classes are equally probable, so the confidence there is 1/2 for
every model. Models differ in the width of the band around it.
"""

import numpy as np

from bdlzoo.reports import canvas


def uncertainty_maps(side, panels, train_x, train_y):
    """Plots the confidence of each model in its own panel.

    Args:
        side: Array `[n]` in rising order, the grid along both axes.
        panels: Dict from a title to confidences `[n, n]`; the second input is the
            same in all of a row.
        train_x: Array `[N, 2]`, inputs of the training data.
        train_y: Array `[N]`, classes of the training data.

    Returns:
        `matplotlib.figure.Figure`.

    Example:

        side = np.linspace(-2, 2, 21)
        confidence = np.full((21, 21), 0.9)
        figure = bdlzoo.reports.uncertainty_maps(
            side, {"mine": confidence}, np.float32([[-1, 0], [1, 0]]), [0, 1])
    """
    side, train_x = np.ravel(side), np.asarray(train_x)
    figure = canvas.figure(2.9 * len(panels) + 0.7, 3.5)
    every = figure.subplots(1, len(panels), sharex=True, sharey=True, squeeze=False)
    for axes, (title, confidence) in zip(every[0], panels.items()):
        image = axes.pcolormesh(side, side, confidence, cmap="viridis", vmin=0.5,
                                vmax=1.0, shading="nearest", rasterized=True)
        for label, marker, colour in zip(
                np.unique(train_y), "osD^v", canvas.colours()):
            chosen = train_x[np.ravel(train_y) == label]
            axes.plot(*chosen.T, marker, color=colour, markeredgecolor="black",
                      markersize=5, label=f"class {label}")
        axes.set_aspect("equal")
        axes.set(xlim=side[[0, -1]], ylim=side[[0, -1]])
        canvas.label(axes, title, x="first input")
    every[0, 0].set_ylabel("second input", fontsize=canvas.TEXT)
    bar = figure.colorbar(image, ax=every[0].tolist(), shrink=0.8)
    bar.set_label("confidence", fontsize=canvas.TEXT)
    figure.legend(*every[0, 0].get_legend_handles_labels(), ncols=2, frameon=False,
                  loc="outside lower center", fontsize=canvas.SMALL)
    return figure
