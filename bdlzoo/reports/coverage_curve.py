"""Coverage of the intervals of several regressions, at every probability.

    observed(p) = share of targets in mean +- z((1 + p) / 2) std,  p = 1 %, ..., 99 %

The intervals are those of `CWCE`: of a Gaussian with the mean and variance of the
prediction. `calibration_plot` shows one model, with intervals of the mixture.
"""

import numpy as np

from bdlzoo.metrics import CWCE
from bdlzoo.reports import canvas


def coverage_curve(runs):
    """Plots observed against expected coverage of several models.

    Args:
        runs: Dict from the name of a model to a pair `(prediction, targets)`: a
            `RegressionPrediction`, and an array with a value for each mean.

    Returns:
        `matplotlib.figure.Figure`. The legend has the calibration error after each
        name. A curve below the diagonal means that intervals are too narrow.
    """
    if not runs:
        raise ValueError("Expected at least one model. Received: runs={}")
    figure = canvas.figure(5, 4.6)
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], "--", color=canvas.GREY, linewidth=1,
              label="calibrated")
    for (name, (prediction, targets)), colour in zip(
            runs.items(), canvas.colours()):
        if not np.isfinite(prediction.std).all() or not np.isfinite(targets).all():
            raise ValueError("Expected finite predictions and targets. "
                             f"Received: others in {name!r}")
        metric = CWCE()
        metric.update_state(targets, prediction)
        axes.plot(metric.levels, metric.average(), color=colour, linewidth=2,
                  label=f"{name} ({float(metric.result()):.1f})")
    axes.set(xlim=(0, 1), ylim=(0, 1.02))
    canvas.label(axes, "Coverage of intervals (calibration error, %)",
                 "Probability of the interval", "Targets inside")
    canvas.legend(axes, loc="upper left")
    return figure
