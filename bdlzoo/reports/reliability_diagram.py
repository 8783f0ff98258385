"""Reliability diagram: accuracy against confidence.

    bin b       = rows with confidence in (b / M, (b + 1) / M]
    gap_b       = accuracy_b - confidence_b
    ECE         = sum over b of n_b / n * |gap_b|

Reference: Guo et al., On Calibration of Modern Neural Networks, ICML 2017.
"""

import numpy as np

from bdlzoo.reports import canvas


def reliability_diagram(probabilities, labels, num_bins=15):
    """Plots accuracy against confidence for each bin, and the size of the bins.

    Args:
        probabilities: Array `[B, C]`, class probabilities.
        labels: Array `[B]`, true classes.
        num_bins: Integer, bins of equal width on `[0, 1]`, closed on the right.

    Returns:
        `matplotlib.figure.Figure`.

    Example:

        figure = bdlzoo.reports.reliability_diagram(model.predict(x), y)
        figure.savefig("reliability.png")
    """
    probabilities = np.asarray(probabilities)
    labels = np.reshape(labels, [-1])
    if probabilities.ndim != 2 or len(probabilities) != len(labels):
        raise ValueError(
            "Expected class probabilities [B, C] and as many labels. Received: "
            f"probabilities.shape={probabilities.shape}, {len(labels)} labels")
    confidence = probabilities.max(axis=1)
    hits = probabilities.argmax(axis=1) == labels
    edge = np.ceil(confidence * num_bins).astype(int) - 1
    bins = np.clip(edge, 0, num_bins - 1)  # A rounded confidence may exceed 1.
    counts = np.bincount(bins, minlength=num_bins)
    used = counts > 0  # An empty bin has neither accuracy nor confidence.
    means = np.bincount(bins, confidence, num_bins)[used] / counts[used]
    accuracy = np.bincount(bins, hits, num_bins)[used] / counts[used]
    ece = np.sum(counts[used] * np.abs(accuracy - means)) / len(labels)

    figure = canvas.figure(4.5, 5.2)
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
    upper.plot([0, 1], [0, 1], "--", color=canvas.GREY, linewidth=1,
               label="calibrated")
    upper.vlines(means, means, accuracy, color=canvas.RED, linewidth=3,
                 alpha=0.5, label="gap")
    upper.plot(means, accuracy, "o-", color=canvas.BLUE, markersize=5,
               label="model")
    upper.set(xlim=(0, 1), ylim=(0, 1.02))
    canvas.label(upper, f"Accuracy against confidence, ECE = {ece:.4f}",
                 y="Accuracy in bin")
    canvas.legend(upper, loc="upper left")
    lower.bar(np.arange(num_bins) / num_bins, counts, width=1 / num_bins,
              align="edge", color=canvas.BLUE, edgecolor="white")
    canvas.label(lower, x="Confidence", y="Rows in bin")
    return figure
