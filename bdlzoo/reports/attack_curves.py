"""Accuracy and entropy under attack, one line for each predictor."""

import numpy as np

from bdlzoo.reports import canvas

_PANELS = {"accuracy": "Accuracy", "success": "Success on the target",
           "entropy": "Predictive entropy [nats]"}


def attack_curves(etas, untargeted, steps, targeted, break_eta=None,
                  break_step=None):
    """Plots accuracy and entropy of predictors under two attacks.

    Args:
        etas: Array `[R]`, radii of the untargeted attack.
        untargeted: Dict from the name of a predictor to a dict of arrays `[R]`:
            `accuracy`, `entropy`, and `entropy_error`, the standard error of the
            entropy.
        steps: Array `[T]`, steps of the targeted attack.
        targeted: Dict like `untargeted`, with arrays `[T]`, and with `success`, the
            share of inputs that reach the target.
        break_eta: Float, a radius to mark with a line, or `None`.
        break_step: Float, a step to mark with a line, or `None`.

    Returns:
        `matplotlib.figure.Figure`: the untargeted attack above, the targeted one
        below. A band is one standard error wide on each side.
    """
    figure = canvas.figure(11, 6.4)
    top, bottom = figure.subplots(2, 3)
    above = (top[0], top[2])  # So that both entropies are in one column.
    for axes, metric in zip(above, ("accuracy", "entropy"), strict=True):
        _panel(axes, etas, untargeted, metric, break_eta)
        canvas.label(axes, "Untargeted", "Radius", _PANELS[metric])
    for axes, metric in zip(bottom, _PANELS, strict=True):
        _panel(axes, steps, targeted, metric, break_step)
        canvas.label(axes, "Targeted", "Step", _PANELS[metric])
    top[1].axis("off")
    lines, names = top[0].get_legend_handles_labels()
    canvas.legend(top[1], handles=lines, labels=names, loc="center")
    return figure


def _panel(axes, places, curves, metric, mark):
    for (name, values), colour in zip(curves.items(), canvas.colours()):
        mean = np.asarray(values[metric])
        axes.plot(places, mean, color=colour, linewidth=1.8, label=name)
        if metric == "entropy":
            error = np.asarray(values["entropy_error"])
            axes.fill_between(places, mean - error, mean + error, color=colour,
                              alpha=0.2, linewidth=0)
    # Some space above, so that a line at 1 is fully visible.
    axes.set_ylim(0.0, None if metric == "entropy" else 1.02)
    if mark is not None:
        axes.axvline(mark, color=canvas.GREY, linewidth=1.0, linestyle="--")
