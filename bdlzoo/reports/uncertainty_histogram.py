"""Histograms of the uncertainty of a model on several sets of inputs."""

import numpy as np

from bdlzoo.reports import canvas


def uncertainty_histogram(scores, label, num_bins=30):
    """Plots histograms of several sets in one figure.

    Args:
        scores: Dict from the name of a set to an array with a score for each input.
            Infinite scores are counted in the first or the last bin.
        label: String, name of the scores.
        num_bins: Integer, number of bins, which are the same for all sets.

    Returns:
        `matplotlib.figure.Figure`.

    Example:

        doubts = {"digits": prediction.predictive_entropy}
        figure = bdlzoo.reports.uncertainty_histogram(doubts, "Entropy, nats")
    """
    scores = {name: np.ravel(values) for name, values in scores.items()}
    every = np.concatenate(list(scores.values()))
    if np.isnan(every).any():
        raise ValueError("Expected scores that can be drawn. Received: "
                         f"{np.isnan(every).sum()} NaN")
    edges = np.histogram_bin_edges(every[np.isfinite(every)], num_bins)
    figure = canvas.figure(5.5, 3.5)
    axes = figure.subplots()
    for (name, values), colour in zip(scores.items(), canvas.colours()):
        # Shares and not counts, because the sets may differ in size.
        inside = np.clip(values, edges[0], edges[-1])
        shares = np.histogram(inside, edges)[0] / len(values)
        axes.stairs(shares, edges, fill=True, color=colour, alpha=0.3)
        axes.stairs(shares, edges, color=colour, linewidth=1.8, label=name)
    axes.set_ylim(bottom=0)
    canvas.label(axes, f"{label} by set of inputs", label, "Share of inputs")
    canvas.legend(axes)
    return figure
