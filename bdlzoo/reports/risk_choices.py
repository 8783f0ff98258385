"""Plot of what agents choose, against their risk parameter."""

import numpy as np

from bdlzoo.reports import canvas


def risk_choices(epsilons, shares):
    """Plots probabilities of choices for risk parameters of both signs.

    Args:
        epsilons: List of P floats that are not 0, in order.
        shares: Dict from the name of a choice to probabilities `[P, seeds]`.

    Returns:
        `matplotlib.figure.Figure`; a point is a seed, and a line joins the means.
    """
    figure = canvas.figure(8, 3.6)
    panels = figure.subplots(1, 2, sharey=True)
    epsilons = np.asarray(epsilons, float)
    for axes, sign, title in zip(panels, (-1, 1), ("Avoids risk", "Seeks risk")):
        side = np.flatnonzero(np.sign(epsilons) == sign)
        for (name, found), colour in zip(shares.items(), canvas.colours()):
            found = np.asarray(found)[side]  # [P, seeds]
            places = epsilons[side]
            axes.plot(places, found.mean(axis=1), color=colour, linewidth=1.8,
                      label=name)
            axes.plot(np.repeat(places, found.shape[1]), found.ravel(), "o",
                      color=colour, markersize=4, alpha=0.6)
        if len(side):
            axes.set_xscale("symlog", linthresh=float(np.abs(epsilons[side]).min()))
            shown = epsilons[side][::3]
            axes.set_xticks(shown, [f"{epsilon:.2g}" for epsilon in shown])
        axes.set_ylim(-0.05, 1.05)
        canvas.label(axes, title, "epsilon", "probability" if sign < 0 else "")
    canvas.legend(panels[1])
    return figure
