"""Plot of several posteriors of a function of one input, side by side.

    band = mean +- 2 standard deviations, of the function, without noise
"""

import numpy as np

from bdlzoo.reports import canvas

_BAND = "#C6DFF0"  # A light shade of the blue of the mean.


def posterior_panels(x, panels, train_x, train_y):
    """Plots mean and band of each posterior in its own panel.

    Args:
        x: Array `[n]` of inputs, in rising order.
        panels: Dict from a title to a pair of arrays `[n]`, mean and standard
            deviation.
        train_x: Array, inputs of the training data.
        train_y: Array, targets of the training data.

    Returns:
        `matplotlib.figure.Figure`.

    Example:

        grid = np.linspace(-2, 2, 50)
        panels = {"prior": (0 * grid, 1 + 0 * grid)}
        figure = bdlzoo.reports.posterior_panels(grid, panels, [0.0, 1.0], [0.0, 1.0])
    """
    x = np.ravel(x)
    figure = canvas.figure(3.4 * len(panels), 3.2)
    every = figure.subplots(1, len(panels), sharex=True, sharey=True, squeeze=False)
    for axes, (title, (mean, std)) in zip(every[0], panels.items()):
        axes.fill_between(x, mean - 2 * std, mean + 2 * std, color=_BAND,
                          linewidth=0, label="two standard deviations")
        axes.plot(x, mean, color=canvas.BLUE, label="mean")
        axes.plot(np.ravel(train_x), np.ravel(train_y), ".", color="black",
                  label="training data")
        canvas.label(axes, title, x="x")
    every[0, 0].set_xlim(x[0], x[-1])
    every[0, 0].set_ylabel("y", fontsize=canvas.TEXT)
    canvas.legend(every[0, 0], loc="lower left")
    return figure
