"""Histogram of the confidence of right and of wrong predictions."""

import numpy as np

from bdlzoo.reports import canvas


def confidence_histogram(errors, confidence, num_bins=20):
    """Plots the confidence of right and of wrong predictions in one histogram.

    Args:
        errors: Booleans `[N]`, which predictions are wrong.
        confidence: Floats `[N]` in [0, 1], probability of the predicted class.
        num_bins: Integer, bins of equal width on `[0, 1]`.

    Returns:
        `matplotlib.figure.Figure`; a group without rows is only in the legend.

    Example:

        errors = prediction.label != y
        figure = bdlzoo.reports.confidence_histogram(errors, prediction.confidence)
    """
    errors = np.ravel(errors).astype(bool)
    confidence = np.ravel(confidence)
    if not errors.size or errors.shape != confidence.shape:
        raise ValueError(
            "Expected as many confidences as errors, at least one. Received: "
            f"{errors.size} errors, {confidence.size} confidences")
    edges = np.linspace(0.0, 1.0, num_bins + 1)
    figure = canvas.figure(4.5, 3.5)
    axes = figure.subplots()
    groups = (("right", ~errors, canvas.BLUE, "-"),
              ("wrong", errors, canvas.RED, "--"))
    for name, rows, colour, line in groups:
        count = int(rows.sum())
        # Shares and not counts, so that few errors are visible too. They are clipped,
        # because a sum in float32 may exceed 1.
        shares = np.histogram(np.clip(confidence[rows], 0, 1), edges)[0] / max(
            count, 1)
        axes.stairs(shares, edges, fill=True, color=colour, alpha=0.25)
        axes.stairs(shares, edges, color=colour, linewidth=1.8, linestyle=line,
                    label=f"{name} ({count})")
    axes.set(xlim=(0, 1), ylim=(0, None))
    canvas.label(axes, "Confidence of right and wrong predictions", "Confidence",
                 "Share of the group")
    canvas.legend(axes, loc="upper left")
    return figure
