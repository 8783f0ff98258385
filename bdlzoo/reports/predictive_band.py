"""A regression on the line, and where its uncertainty comes from.

    inner band = mean +- 2 sqrt(epistemic)
    outer band = mean +- 2 sqrt(epistemic + aleatoric)
"""

import numpy as np

from bdlzoo.reports import canvas


def predictive_band(x, prediction, train_x, train_y, truth=None):
    """Plots mean, bands of two standard deviations and data.

    Args:
        x: Array `[N]` or `[N, 1]`, where the prediction was made.
        prediction: `RegressionPrediction` with one output.
        train_x: Array, inputs of the training data.
        train_y: Array, their targets.
        truth: Array `[N]`, noise-free targets at `x`, where they are known.

    Returns:
        `matplotlib.figure.Figure`.
    """
    order = np.argsort(np.ravel(x))

    def along(values):
        return np.ravel(values)[order]

    x, mean = along(x), along(prediction.mean)
    model = 2.0 * np.sqrt(along(prediction.epistemic))
    total = 2.0 * np.sqrt(along(prediction.variance))

    figure = canvas.figure(7, 4.3)
    axes = figure.subplots()
    axes.fill_between(x, mean - total, mean + total, color="#C6DFF0",
                      linewidth=0, label="with noise of the data (aleatoric)")
    axes.fill_between(x, mean - model, mean + model, color="#7DB5DA",
                      linewidth=0, label="of the model (epistemic)")
    axes.plot(np.ravel(train_x), np.ravel(train_y), ".", color="black",
              markersize=3, alpha=0.6, label="training data")
    if truth is not None:
        axes.plot(x, along(truth), "--", color=canvas.RED, linewidth=1.2,
                  label="truth")
    axes.plot(x, mean, color=canvas.BLUE, linewidth=2, label="mean")
    axes.set_xlim(x[0], x[-1])
    canvas.label(axes, "Predictive mean and bands of two standard deviations",
                 "x", "y")
    figure.legend(loc="outside lower center", ncols=3, frameon=False,
                  fontsize=canvas.SMALL)
    return figure
