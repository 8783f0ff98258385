"""Plot of the test error during training."""

import numpy as np

from bdlzoo.reports import canvas


def error_curves(epochs, errors):
    """Plots mean and range over seeds of the error of several predictors.

    Args:
        epochs: Array `[E]`, numbers of the epochs.
        errors: Dict from the name of a predictor to its errors, an array
            `[seeds, E]` of shares in `[0, 1]`.

    Returns:
        `matplotlib.figure.Figure`; errors are in per cent.
    """
    figure = canvas.figure(6, 4)
    axes = figure.subplots()
    for (name, values), colour in zip(errors.items(), canvas.colours()):
        percent = 100.0 * np.asarray(values)
        axes.fill_between(epochs, percent.min(axis=0), percent.max(axis=0),
                          color=colour, alpha=0.2, linewidth=0)
        axes.plot(epochs, percent.mean(axis=0), "o-", color=colour,
                  markersize=4, linewidth=1.8, label=name)
    axes.xaxis.get_major_locator().set_params(integer=True)
    canvas.label(
        axes, f"Test error over training: mean and range of {len(percent)} seeds",
        "Epoch", "Test error [%]")
    canvas.legend(axes)
    return figure
