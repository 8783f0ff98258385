"""Calibration plot of a regression: share of targets inside of its intervals.

    pit_i        = P(value <= target_i), under the prediction of row i
    observed(p)  = share of rows with |2 pit_i - 1| <= p

The second line is the share of targets in the central interval with probability
`p`. If predictions are calibrated, `pit` is uniform and `observed(p) = p`.

Reference: Gneiting et al., Probabilistic Forecasts, Calibration and Sharpness,
JRSS B 2007.
"""

import numpy as np

from bdlzoo.reports import canvas


def calibration_plot(prediction, targets, num_bins=20):
    """Plots observed against expected coverage, and a histogram of `pit`.

    Args:
        prediction: `RegressionPrediction`.
        targets: Array with a value for each mean of the prediction.
        num_bins: Integer, number of bins of the histogram.

    Returns:
        `matplotlib.figure.Figure`. All outputs are pooled. At each probability, the
        curve of a calibrated model is in the grey area with probability 95 %.

    Example:

        figure = bdlzoo.reports.calibration_plot(model.predict_uncertainty(x), y)
    """
    pit = np.asarray(prediction.cdf(targets), "float64")
    if not np.isfinite(pit).all():
        raise ValueError(
            "Expected finite predictions and targets. Received: "
            f"{np.sum(~np.isfinite(pit))} of {pit.size} that are not finite")
    rows, depth = len(pit), np.sort(np.abs(2 * pit.ravel() - 1))
    expected = np.linspace(0, 1, 201)
    observed = np.searchsorted(depth, expected, side="right") / depth.size
    # Outputs of one row are not independent, so the rows are counted.
    chance = 1.96 * np.sqrt(expected * (1 - expected) / rows)

    figure = canvas.figure(4.5, 5.2)
    upper, lower = figure.subplots(2, 1, height_ratios=(3, 1.2))
    upper.fill_between(expected, expected - chance, expected + chance,
                       color=canvas.GREY, alpha=0.2, linewidth=0,
                       label="chance of the test rows")
    upper.plot([0, 1], [0, 1], "--", color=canvas.GREY, linewidth=1,
               label="calibrated")
    upper.plot(expected, observed, color=canvas.BLUE, linewidth=2, label="model")
    upper.set(xlim=(0, 1), ylim=(0, 1.02))
    held = np.mean(depth <= 0.95)
    canvas.label(upper, f"Intervals of 95 % hold {100 * held:.1f} % of targets",
                 "Probability of the interval", "Targets inside")
    canvas.legend(upper, loc="upper left")
    counts, edges = np.histogram(pit, num_bins, (0, 1))
    lower.stairs(counts / pit.size, edges, fill=True, color=canvas.BLUE, alpha=0.5)
    lower.axhline(1 / num_bins, linestyle="--", color=canvas.GREY, linewidth=1)
    lower.set(xlim=(0, 1))
    canvas.label(lower, x="Probability of a value below the target",
                 y="Share of targets")
    return figure
