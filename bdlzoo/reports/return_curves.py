"""Plot of the returns of agents while they learn."""

import numpy as np

from bdlzoo.reports import canvas


def return_curves(lines, goal=None, log=False, title="return"):
    """Plots returns against steps of the world, with bands over seeds.

    Args:
        lines: Dict from the name of an agent to a list with a pair for each seed: steps
            of the world, and returns, two lists of numbers.
        goal: Float, a return to compare with; `None` for none.
        log: Bool, whether steps are on a logarithmic axis.
        title: String, name of the axis of returns.

    Returns:
        `matplotlib.figure.Figure`; a band reaches from the smallest to the largest
        return of the seeds, and the line is their mean.
    """
    many = len(lines) > 4  # Names would hide lines: they stand beside the plot.
    figure = canvas.figure(8.5 if many else 6.5, 4)
    axes = figure.subplots()
    for (name, runs), (style, colour) in zip(lines.items(), canvas.strokes()):
        last = min(max(steps) for steps, _ in runs)
        first = max(min(steps) for steps, _ in runs)
        if log:
            places = np.geomspace(max(first, 1.0), last, 100)
        else:
            places = np.linspace(first, last, 100)
        found = np.stack([np.interp(places, *_known(*run)) for run in runs])
        axes.plot(places, found.mean(axis=0), style, color=colour, linewidth=1.8,
                  label=name)
        if len(runs) > 1:
            axes.fill_between(places, found.min(axis=0), found.max(axis=0),
                              color=colour, alpha=0.15, linewidth=0)
    if goal is not None:
        axes.axhline(goal, color=canvas.GREY, linewidth=1, linestyle=":")
    if log:
        axes.set_xscale("log")
    canvas.label(axes, "While learning", "steps of the world", title)
    canvas.legend(axes, **(
        {"loc": "center left", "bbox_to_anchor": (1.0, 0.5)} if many else {}))
    return figure


def _known(steps, returns):
    """Points whose return is known: at first no episode may have ended."""
    steps, returns = np.asarray(steps, float), np.asarray(returns, float)
    there = np.isfinite(returns)
    if not there.any():
        raise ValueError("Expected at least one return that is a number. Received: "
                         f"returns={returns}")
    return steps[there], returns[there]
