"""Plot of how good models are against what their answers cost."""

import numpy as np

from bdlzoo.reports import canvas


def quality_against_cost(models, take=None):
    """Plots the loss of each model against the time of an answer.

    Args:
        models: Dictionary from a name to a dictionary with `loss` (mean negative log
            likelihood), `error` (its standard error), `answer_ms`, and `seconds` of
            training, which is the area of a point.
        take: Name of the model to point out; `None` for none.

    Returns:
        `matplotlib.figure.Figure`. Good models are on the left, at the bottom.

    Example:

        figure = bdlzoo.reports.quality_against_cost({
            "one network": dict(loss=0.30, error=0.01, answer_ms=0.5, seconds=20.0),
            "ensemble": dict(loss=0.25, error=0.01, answer_ms=1.9, seconds=95.0)})
        figure.savefig("models.png")
    """
    if not models:
        raise ValueError("Expected at least one model. Received: none")
    figure = canvas.figure(6.4, 4.4)
    axes = figure.subplots()
    longest = max(model["seconds"] for model in models.values()) or 1.0
    for (name, model), colour in zip(models.items(), canvas.colours()):
        place = model["answer_ms"], model["loss"]
        axes.errorbar(*place, yerr=2.0 * model["error"], color=colour, linewidth=1.2,
                      capsize=3)
        axes.scatter(*place, s=30.0 + 270.0 * model["seconds"] / longest, color=colour,
                     alpha=0.8, edgecolor="black" if name == take else "none",
                     linewidth=2.0, zorder=3)
        axes.annotate(f"{name}\ntrained {model['seconds']:.0f} s", place,
                      xytext=(12, 8), textcoords="offset points",
                      fontsize=canvas.SMALL,
                      fontweight="bold" if name == take else "normal")
    axes.set_xscale("log")
    times = [model["answer_ms"] for model in models.values()]
    axes.set_xlim(min(times) / 1.5, max(times) * 3.0)  # Room for the names.
    ticks = np.geomspace(min(times), max(times), min(4, len(set(times))))
    axes.set_xticks(ticks, [f"{tick:.2g}" for tick in ticks])
    axes.minorticks_off()
    canvas.label(axes, "Quality against cost: down and left is better",
                 "Time of an answer, ms (one row)",
                 "Validation loss, nats (bars: two standard errors)")
    return figure
