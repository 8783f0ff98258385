"""Plot of the evidence bound of a network against its width."""

import numpy as np

from bdlzoo.reports import canvas


def evidence_curve(widths, bounds, evidence, linear_bound):
    """Plots mean and range over seeds of the bound, beside a linear model.

    Args:
        widths: Array `[W]`, numbers of hidden units.
        bounds: Array `[seeds, W]`, bounds in nats.
        evidence: Float, exact log evidence of a linear model.
        linear_bound: Float, evidence bound of the linear model.

    Returns:
        `matplotlib.figure.Figure`.
    """
    figure = canvas.figure(6, 4)
    axes = figure.subplots()
    bounds = np.asarray(bounds)
    axes.fill_between(widths, bounds.min(axis=0), bounds.max(axis=0),
                      color=canvas.BLUE, alpha=0.2, linewidth=0)
    axes.plot(widths, bounds.mean(axis=0), "o-", color=canvas.BLUE, markersize=4,
              linewidth=1.8, label="Network with one hidden layer, bound")
    axes.axhline(evidence, color=canvas.GREY, linewidth=1.4,
                 label="Linear model, exact evidence")
    axes.axhline(linear_bound, color=canvas.ORANGE, linewidth=1.4, linestyle="--",
                 label="Linear model, bound")
    axes.set_xscale("log", base=2)
    axes.set_xticks(widths, [f"{width}" for width in widths])
    axes.minorticks_off()
    canvas.label(
        axes, f"Evidence bound over width: mean and range of {len(bounds)} seeds",
        "Hidden units", "Log evidence [nats]")
    canvas.legend(axes)
    return figure
