"""Plot of the bias and the variance of estimators."""

import numpy as np

from bdlzoo.reports import canvas


def bias_variance(lines):
    """Plots bias and variance of estimators against their parameter.

    Args:
        lines: Dict from the name of an estimator to an array `[P, 4]`: parameter,
            bias, floor below which no bias can be seen, and variance.

    Returns:
        `matplotlib.figure.Figure`; floors are dotted.
    """
    figure = canvas.figure(9, 4)
    panels = figure.subplots(1, 2)
    for (name, points), colour in zip(lines.items(), canvas.colours()):
        place, bias, floor, variance = np.asarray(points).T
        for axes, values in zip(panels, (bias, variance)):
            axes.loglog(place, values, "o-", color=colour, markersize=4,
                        linewidth=1.8, label=name)
        if np.any(floor > 0):
            panels[0].loglog(place, floor, ":", color=colour, linewidth=1.2)
    for axes, title in zip(panels, ("Bias (dotted: Monte Carlo floor)", "Variance")):
        canvas.label(axes, title, "epsilon or tau", title.split()[0])
    canvas.legend(panels[1])
    return figure
