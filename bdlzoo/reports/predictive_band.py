"""Plot of a regression with one input, with both kinds of uncertainty.

    inner band = mean +- 2 sqrt(epistemic)
    outer band = mean +- 2 sqrt(epistemic + aleatoric)

A band looks thin where the mean is steep, so the standard deviations are drawn once
more in a second panel.
"""

import numpy as np

from bdlzoo.reports import canvas

_LIGHT, _DARK = "#C6DFF0", "#7DB5DA"  # Two shades of the blue of the mean.


def predictive_band(x, prediction, train_x, train_y, truth=None):
    """Plots mean, bands of two standard deviations and data.

    Args:
        x: Array `[N]` or `[N, 1]`, inputs of the prediction.
        prediction: `RegressionPrediction` with one output.
        train_x: Array, inputs of the training data.
        train_y: Array, targets of the training data.
        truth: Array `[N]`, noise-free targets at `x`; `None` if they are not known.

    Returns:
        `matplotlib.figure.Figure`.

    Example:

        grid = np.linspace(-4, 4, 200, dtype="float32")[:, None]
        found = model.predict_uncertainty(grid)
        figure = bdlzoo.reports.predictive_band(grid, found, x, y)
        figure.savefig("band.png")
    """
    order = np.argsort(np.ravel(x))

    def along(values):
        return np.ravel(values)[order]

    x, mean = along(x), along(prediction.mean)
    model = np.sqrt(along(prediction.epistemic))
    data = np.sqrt(along(prediction.aleatoric))
    total = np.hypot(model, data)

    figure = canvas.figure(7, 5.3)
    axes, lower = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
    axes.fill_between(x, mean - 2 * total, mean + 2 * total, color=_LIGHT,
                      linewidth=0, label="with noise of the data (aleatoric)")
    axes.fill_between(x, mean - 2 * model, mean + 2 * model, color=_DARK,
                      linewidth=0, label="of the model (epistemic)")
    axes.plot(np.ravel(train_x), np.ravel(train_y), ".", color="black",
              markersize=3, alpha=0.6, label="training data")
    if truth is not None:
        axes.plot(x, along(truth), "--", color=canvas.RED, linewidth=1.2,
                  label="truth")
    axes.plot(x, mean, color=canvas.BLUE, linewidth=2, label="mean")
    axes.set_xlim(x[0], x[-1])
    canvas.label(axes, "Predictive mean and bands of two standard deviations",
                 y="y")
    figure.legend(loc="outside lower center", ncols=3, frameon=False,
                  fontsize=canvas.SMALL)
    lower.plot(x, model, color=canvas.BLUE, label="epistemic")
    lower.plot(x, data, "--", color=canvas.ORANGE, label="aleatoric")
    lower.set_ylim(0, 1.4 * max(model.max(), data.max()))  # Room for a legend.
    canvas.label(lower, x="x", y="Std. deviation")
    canvas.legend(lower, ncols=2, loc="upper center")
    return figure
